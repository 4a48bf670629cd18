// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/statistics.hpp>

#include <array>
#include <atomic>
#include <cstdint>

namespace tailrace::inline TAILRACE_ABI::detail {

/// Where statistics counters start; other than zero only in tests.
inline std::atomic<std::uint64_t> first_count{0};
/// The sequence number of a new ring's first submission; other than zero only in tests.
inline std::atomic<std::uint64_t> first_sequence{0};

/// A counter for statistics: restarts at zero behind its maximum.
class Counter {
 public:
  Counter() noexcept : value_{first_count.load(std::memory_order_relaxed)} {}
  /// @returns true if the counter passed its maximum
  bool add(std::uint64_t n = 1) noexcept {
    const std::uint64_t before = value_.fetch_add(n, std::memory_order_relaxed);
    return before + n < before;
  }
  [[nodiscard]] std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_;
};

/// How many of something there are now.
class Gauge {
 public:
  std::uint64_t add() noexcept { return value_.fetch_add(1, std::memory_order_relaxed) + 1; }
  void subtract() noexcept { value_.fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// The counters of one ring. Names as in Statistics.
struct RingCounters {
  Counter submissions, stalls, refusals, bytes, collected, errors, errors_collected, discarded, quarantined;
  Gauge in_flight, outstanding;
  std::atomic<std::uint64_t> peak_in_flight{0};
  std::array<Counter, driver_call_kinds> calls;
  /// Some counter passed its maximum: to be logged, once.
  std::atomic<bool> wrapped{false};

  void count(Counter& counter, std::uint64_t n = 1) noexcept {
    if (counter.add(n)) wrapped.store(true, std::memory_order_relaxed);
  }
  void count(DriverCall call) noexcept { count(calls[static_cast<std::size_t>(call)]); }
  void entered_flight() noexcept {
    const std::uint64_t now = in_flight.add();
    // Only the submitter raises the peak, under the submit lock.
    if (now > peak_in_flight.load(std::memory_order_relaxed)) peak_in_flight.store(now, std::memory_order_relaxed);
  }

  [[nodiscard]] Statistics snapshot() const noexcept {
    Statistics s;
    s.submissions = submissions.get();
    s.stalls = stalls.get();
    s.refusals = refusals.get();
    s.peak_in_flight = peak_in_flight.load(std::memory_order_relaxed);
    s.bytes = bytes.get();
    s.collected = collected.get();
    s.errors = errors.get();
    s.errors_collected = errors_collected.get();
    s.discarded = discarded.get();
    s.quarantined = quarantined.get();
    s.outstanding = outstanding.get();
    for (std::size_t i = 0; i < driver_call_kinds; ++i) s.calls.count[i] = calls[i].get();
    return s;
  }
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
