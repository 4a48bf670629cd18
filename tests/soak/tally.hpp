// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/error.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string_view>

namespace soak {

/// What one thread did; read by others meanwhile.
struct Tally {
  using Count = std::atomic<std::uint64_t>;
  Count accepted{0};   ///< tickets got
  Count collected{0};  ///< stamped readbacks of which every byte was checked
  Count discarded{0};  ///< tickets given up
  Count failed{0};     ///< tickets that ended with an error
  Count refused{0};    ///< calls that were refused for want of a slot, of budget or of time
  Count torn{0};       ///< readbacks and large reads with wrong bytes
  Count reads{0};      ///< large reads of which every byte was checked
  Count read_bytes{0};
  Count jobs{0};

  /// By the owning thread only.
  static void add(Count& count, std::uint64_t n = 1) noexcept {
    count.store(count.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  Tally& operator+=(const Tally& other) noexcept {
    for (const auto member : {&Tally::accepted, &Tally::collected, &Tally::discarded, &Tally::failed, &Tally::refused,
                              &Tally::torn, &Tally::reads, &Tally::read_bytes, &Tally::jobs}) {
      add(this->*member, (other.*member).load(std::memory_order_relaxed));
    }
    return *this;
  }
};

/// Everything that must not happen. Prints the first of them, and counts all. Safe from any thread.
class Complaints {
 public:
  void add(std::string_view text) {
    constexpr unsigned most_printed = 20;
    const std::lock_guard lock{mutex_};
    if (count_++ < most_printed) std::printf("NOT AS IT SHOULD BE: %.*s\n", static_cast<int>(text.size()), text.data());
  }
  [[nodiscard]] std::uint64_t count() const {
    const std::lock_guard lock{mutex_};
    return count_;
  }

 private:
  mutable std::mutex mutex_;
  std::uint64_t count_ = 0;
};

/// What any thread may meet when many share rings and a budget.
[[nodiscard]] inline bool is_refusal(tailrace::Errc code) noexcept {
  using enum tailrace::Errc;
  return (code >= slot_pending && code <= slot_promised) || code == budget_exceeded || code == timed_out;
}
/// What an injected fault may lead to.
[[nodiscard]] inline bool is_injected(tailrace::Errc code) noexcept {
  using enum tailrace::Errc;
  return code == copy_failed || code == driver_error || code == out_of_pinned_memory;
}

}  // namespace soak
