// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>
#include <tailrace/copy_arena.hpp>
#include <tailrace/detail/job.hpp>
#include <tailrace/log.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace tailrace::inline TAILRACE_ABI {

namespace detail {
class TagTable;
}

/// How copy streams are made.
struct CopyStreamsOptions {
  std::optional<CopyArena> arena{};  ///< empty: CopyArena::default_arena()
  std::size_t queue_limit = 256;     ///< jobs that wait to be started, at most; at least 1
  LogHandler log{};
};

/// What close() found.
struct CopyStreamsReport {
  std::size_t joined = 0;   ///< jobs that were running and were waited for
  std::size_t dropped = 0;  ///< jobs that had not started and never will; waiting for their tags throws job_dropped
};

/// Host work under a tag, beside the GPU.
///
/// async_load() starts a function on the copy arena under a tag; async_wait() joins it by that tag and rethrows what it
/// threw. A tag is any text; it is free for use again as soon as it was waited for. If no worker has taken the job yet,
/// the waiter runs it, so that a wait ends whatever the arena is busy with. The queue is bounded: a submitter blocks
/// while it is full, unless it is itself a job of the arena; then it runs the job at once.
///
/// A job must not wait for the GPU: it would hold a worker that others need. It must not end the process either, since
/// oneTBB may crash if exit() is called on one of its workers; exit() elsewhere, while jobs run, is fine. The function
/// object is destroyed exactly once, on the thread that ran it, before async_wait() returns.
///
/// Thread safety: every member is safe from any thread, from inside jobs too.
/// Every member may throw Error with Errc::forked, Errc::exiting or Errc::closed.
class TAILRACE_EXPORT CopyStreams {
 public:
  explicit CopyStreams(CopyStreamsOptions options = {});
  /// close(). Never throws, and logs what was dropped and what threw without being waited for.
  ~CopyStreams();
  CopyStreams(CopyStreams&&) noexcept;
  CopyStreams& operator=(CopyStreams&&) noexcept;
  CopyStreams(const CopyStreams&) = delete;
  CopyStreams& operator=(const CopyStreams&) = delete;

  /// Starts @p f, a `void()` function that may be move-only, under @p tag.
  /// @throws Error (Errc::tag_in_flight) if the tag was not waited for yet; std::bad_alloc
  template <class F>
  void async_load(std::string_view tag, F&& f) {
    start(tag, detail::Job{std::forward<F>(f)});
  }
  /// Joins the tag. Rethrows what its function threw, once.
  /// @throws Error (Errc::unknown_tag, own_tag, job_dropped)
  void async_wait(std::string_view tag);
  /// True if a wait for the tag would not block. @throws Error (Errc::unknown_tag)
  [[nodiscard]] bool finished(std::string_view tag) const;
  /// Runs @p copy under @p tag on the arena and @p compute on the calling thread, and joins the tag even if compute
  /// throws. If both throw, compute's exception passes and the copy's is logged.
  template <class Copy, class Compute>
  void overlap_copy_compute(std::string_view tag, Copy&& copy, Compute&& compute) {
    async_load(tag, std::forward<Copy>(copy));
    try {
      std::forward<Compute>(compute)();
    } catch (...) {
      join_quietly(tag);
      throw;
    }
    async_wait(tag);
  }

  /// Refuses new work, drops what has not started and joins what runs. May be called again.
  CopyStreamsReport close();

 private:
  friend class Runtime;
  void start(std::string_view tag, detail::Job job);
  void join_quietly(std::string_view tag) noexcept;
  detail::TagTable& table() const;
  std::shared_ptr<detail::TagTable> table_;
};

}  // namespace tailrace::inline TAILRACE_ABI
