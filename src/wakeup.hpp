// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace tailrace::inline TAILRACE_ABI::detail {

/// What a waiting thread sleeps on: anything that could let it go on bumps the epoch. Read the epoch, look for work,
/// and sleep on the epoch that was read: what happens in between is not missed. It must outlive its notifiers.
///
/// Notifying costs no lock while nobody sleeps. Both sides are sequentially consistent: a sleeper announces itself and
/// then looks at the epoch, a notifier changes the epoch and then looks for sleepers, so that one sees the other.
class Wakeup {
 public:
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_.load(); }

  void notify() noexcept {
    epoch_.fetch_add(1);
    if (sleepers_.load() == 0) return;
    const std::scoped_lock lock{mutex_};  // a sleeper has looked and not slept yet, or it sleeps
    changed_.notify_all();
  }

  /// Returns when the epoch is not @p seen any more or the time is up.
  void wait_for(std::uint64_t seen, std::chrono::nanoseconds timeout) {
    // Capped, since now + timeout must not overflow in the library's clock arithmetic.
    constexpr std::chrono::nanoseconds longest = std::chrono::hours{1};
    std::unique_lock lock{mutex_};
    sleepers_.fetch_add(1);
    changed_.wait_for(lock, std::min(timeout, longest), [&] { return epoch() != seen; });
    sleepers_.fetch_sub(1);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<unsigned> sleepers_{0};
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
