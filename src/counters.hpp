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

/// Who changes a counter: any thread at any time, or one thread at a time, which spares a locked instruction. Reading
/// is safe for everybody.
enum class Writers : std::uint8_t { many, one };

/// A counter for statistics: restarts at zero behind its maximum.
template <Writers writers>
class BasicCounter {
 public:
  BasicCounter() noexcept : value_{first_count.load(std::memory_order_relaxed)} {}
  /// @returns true if the counter passed its maximum
  bool add(std::uint64_t n = 1) noexcept {
    std::uint64_t before = 0;
    if constexpr (writers == Writers::many) {
      before = value_.fetch_add(n, std::memory_order_release);
    } else {
      before = value_.load(std::memory_order_relaxed);
      value_.store(before + n, std::memory_order_release);
    }
    return before + n < before;
  }
  [[nodiscard]] std::uint64_t get() const noexcept { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint64_t> value_;
};
using Counter = BasicCounter<Writers::many>;
using OwnedCounter = BasicCounter<Writers::one>;

/// Driver calls by kind.
template <Writers writers>
using BasicCallCounters = std::array<BasicCounter<writers>, driver_call_kinds>;

/// The counters of one ring. Names as in Statistics. Each is next to those that the same side of the ring changes.
struct RingCounters {
  // The submitter, under the submit lock.
  alignas(64) OwnedCounter submissions;
  OwnedCounter stalls, bytes;
  OwnedCounter entered_flight;  ///< submissions that were PENDING, or recorded and not armed
  std::atomic<std::uint64_t> peak_in_flight{0};
  BasicCallCounters<Writers::one> submit_calls;
  // Completion, under its lock.
  alignas(64) OwnedCounter left_flight;
  OwnedCounter errors;
  BasicCallCounters<Writers::one> poll_calls;
  // Anyone.
  alignas(64) Counter refusals, collected, errors_collected, discarded, quarantined;
  BasicCallCounters<Writers::many> calls;
  /// Some counter passed its maximum: to be logged, once.
  std::atomic<bool> wrapped{false};

  template <Writers writers>
  void count(BasicCounter<writers>& counter, std::uint64_t n = 1) noexcept {
    if (counter.add(n)) wrapped.store(true, std::memory_order_relaxed);
  }
  void enter_flight() noexcept {
    count(entered_flight);
    if (const std::uint64_t now = in_flight(); now > peak_in_flight.load(std::memory_order_relaxed)) {
      peak_in_flight.store(now, std::memory_order_relaxed);
    }
  }

  // What is there now is the difference of what came and what went, which both start at the same value. What went is
  // read first: the answer may be too high while others work, but never too low.
  [[nodiscard]] std::uint64_t in_flight() const noexcept {
    const std::uint64_t left = left_flight.get();
    return entered_flight.get() - left;
  }
  [[nodiscard]] std::uint64_t outstanding() const noexcept {
    const std::uint64_t gone =
        (collected.get() - start_) + (errors_collected.get() - start_) + (discarded.get() - start_);
    return (submissions.get() - start_) - gone;
  }
  [[nodiscard]] bool any_quarantined() const noexcept { return quarantined.get() != start_; }

  [[nodiscard]] Statistics snapshot() const noexcept {
    Statistics s;
    s.outstanding = outstanding();
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
    for (std::size_t i = 0; i < driver_call_kinds; ++i) {
      s.calls.count[i] = calls[i].get() + (submit_calls[i].get() - start_) + (poll_calls[i].get() - start_);
    }
    return s;
  }

 private:
  std::uint64_t start_ = first_count.load(std::memory_order_relaxed);
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
