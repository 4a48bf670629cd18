// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "src/copy_arena_core.hpp"
#include "src/logger.hpp"
#include "src/process.hpp"
#include "src/tag.hpp"

#include <tailrace/copy_streams.hpp>
#include <tailrace/detail/job.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tailrace::inline TAILRACE_ABI::detail {

/// The tags of a CopyStreams: one name space for jobs and reads.
///
/// A tag is in the map from its start until somebody claims it by taking it out; only the claimant sees the outcome.
/// A job goes through these phases:
///  1. *queued*: in the arena's queue, at most queue_limit of them;
///  2. *running*, on a drainer of the arena, on the waiter that claimed it while it was queued, or on the submitter;
///  3. *finished*: the function object is destroyed and the outcome stored.
///
/// Locking: the mutex is never held while a function of the user's runs or is destroyed, nor while a message is logged.
/// The arena's mutex may be taken under it, never the other way round.
class TagTable : public std::enable_shared_from_this<TagTable> {
 public:
  TagTable(std::shared_ptr<ArenaCore> arena, std::size_t queue_limit, LogHandler log);
  TagTable(const TagTable&) = delete;
  TagTable& operator=(const TagTable&) = delete;
  /// Logs what threw and was never waited for.
  ~TagTable();

  [[nodiscard]] const std::shared_ptr<ArenaCore>& arena() const noexcept { return arena_; }
  [[nodiscard]] const Logger& logger() const noexcept { return logger_; }
  [[nodiscard]] const ProcessGuard& guard() const noexcept { return guard_; }

  /// Jobs. @throws Error (Errc::tag_in_flight, closed, forked, exiting)
  void start(std::string_view name, Job job);
  /// Claims the tag and joins it. @throws Error (Errc::unknown_tag, own_tag, job_dropped), or what the tag ended with
  void wait(std::string_view name);
  [[nodiscard]] bool finished(std::string_view name) const;
  /// Drops queued jobs and joins running ones, except those that this very call was made in.
  CopyStreamsReport close();

  /// Opens a tag for something that completes elsewhere and ends in finish(). A waiter calls @p help over and over; it
  /// answers whether it did something. @throws Error (Errc::tag_in_flight, closed, forked, exiting)
  std::shared_ptr<Tag> open(std::string_view name, std::function<bool()> help);
  /// The tag is over; the exception, if any, is its waiter's. What is attached stays until somebody has waited.
  void finish(const std::shared_ptr<Tag>& tag, std::exception_ptr exception) noexcept;
  /// Undoes open() and attach(): the tag is free again. Whoever waits for it already gets the exception.
  void cancel(const std::shared_ptr<Tag>& tag, std::exception_ptr exception) noexcept;
  /// Attaches an object to an open tag.
  void attach(const std::shared_ptr<Tag>& tag, std::shared_ptr<void> object);
  /// What is attached to the tag; null if nothing is. @throws Error (Errc::unknown_tag)
  [[nodiscard]] std::shared_ptr<void> attachment(std::string_view name) const;

  /// Keeps the table, and with it all that it holds, until the process ends: in a forked child, and once process exit
  /// has begun, nothing may be touched.
  static void keep(std::shared_ptr<TagTable> table) noexcept;

 private:
  friend class Tag;
  using Lock = std::unique_lock<std::mutex>;
  using Tags = std::vector<std::shared_ptr<Tag>>;

  void check(const char* operation);
  void refuse_new(std::string_view name, const char* operation) const;
  [[nodiscard]] std::shared_ptr<Tag> find(std::string_view name, const char* operation) const;
  [[nodiscard]] bool runs_inline() const;
  std::shared_ptr<Tag> claim(std::string_view name);
  [[nodiscard]] bool waits_for_itself(std::string_view name) const;
  void join(Tag& tag, const std::function<bool()>& help, Lock& lock);
  void run_queued(Tag& tag) noexcept;
  void run(Tag& tag) noexcept;
  void settle(Tag& tag, std::exception_ptr exception) noexcept;
  Tags withdraw_queued();
  void drop(const Tags& tags, const std::exception_ptr& reason) noexcept;
  void excuse_callers() noexcept;

  const ProcessGuard guard_;
  const std::shared_ptr<ArenaCore> arena_;
  const std::size_t queue_limit_;
  const Logger logger_;
  std::atomic<bool> exit_watched_{false};

  mutable std::mutex mutex_;
  std::condition_variable space_;  ///< submitters: the queue has room, or the table is closed
  std::condition_variable done_;   ///< waiters and close(): a tag has finished
  std::unordered_map<std::string_view, std::shared_ptr<Tag>> tags_;  ///< by the tag's own name
  std::size_t queued_ = 0;                                           ///< jobs that have not started
  std::size_t unfinished_ = 0;                                       ///< tags that close() waits for
  bool closed_ = false;

  std::shared_ptr<TagTable> self_;  ///< set only by keep()
  TagTable* next_kept_ = nullptr;
  static std::atomic<TagTable*> kept;
};

/// What an exception says of itself, for a message.
[[nodiscard]] std::string describe(const std::exception_ptr& exception);

}  // namespace tailrace::inline TAILRACE_ABI::detail
