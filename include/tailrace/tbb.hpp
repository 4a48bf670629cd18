// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// Copy arenas made of the application's own oneTBB arenas. The only header that needs oneTBB.

#include <tailrace/config.hpp>
#include <tailrace/copy_arena.hpp>

#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <functional>
#include <utility>

namespace tailrace::inline TAILRACE_ABI {

namespace detail {

/// Carries a function through oneTBB, whose own synchronisation ThreadSanitizer cannot see where oneTBB is not
/// instrumented: whoever writes the function into a task publishes it, and whoever runs it acquires it first.
class Handoff {
 public:
  explicit Handoff(std::function<void()> f) : f_{std::move(f)} { publish(); }
  Handoff(const Handoff& other) : f_{other.f_} { publish(); }
  Handoff(Handoff&& other) noexcept : f_{std::move(other.f_)} { publish(); }
  Handoff& operator=(const Handoff&) = delete;
  Handoff& operator=(Handoff&&) = delete;
  ~Handoff() = default;

  void operator()() const {
    acquire();
    f_();
  }

 private:
#if defined(__SANITIZE_THREAD__)
#define TAILRACE_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TAILRACE_THREAD_SANITIZER 1
#endif
#endif
#ifdef TAILRACE_THREAD_SANITIZER
  inline static std::atomic<unsigned> published_{0};
  static void publish() noexcept { published_.fetch_add(1, std::memory_order_acq_rel); }
  static void acquire() noexcept { static_cast<void>(published_.load(std::memory_order_acquire)); }
#undef TAILRACE_THREAD_SANITIZER
#else
  static void publish() noexcept {}
  static void acquire() noexcept {}
#endif

  std::function<void()> f_;
};

}  // namespace detail

/// @p arena as tailrace uses it: at most `arena.max_concurrency()` of its threads run copies. The arena must outlive
/// every use, and the tasks that were put into it: it is the application that ends it. Safe from any thread.
[[nodiscard]] inline ForeignArena foreign_arena(tbb::task_arena& arena) {
  arena.initialize();
  return {.threads = static_cast<unsigned>(arena.max_concurrency()),
          .enqueue = [&arena](std::function<void()> f) { arena.enqueue(detail::Handoff{std::move(f)}); }};
}

/// A copy arena that runs its copies in @p arena, under the same terms.
[[nodiscard]] inline CopyArena copy_arena(tbb::task_arena& arena) { return CopyArena{foreign_arena(arena)}; }

}  // namespace tailrace::inline TAILRACE_ABI
