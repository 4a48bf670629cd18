// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/ring.hpp>

#include "bench/support/source.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

/// Readbacks through a ring, one at a time, beside nothing but the driver calls that the ring makes for them, on a
/// device whose copies are over when they are enqueued: what the first costs more than the second is the library's own
/// cost. The host backend only. For one thread; one at a time in the process.
class OwnCost {
 public:
  /// Runs some readbacks to learn which driver calls the ring makes.
  OwnCost();
  ~OwnCost();
  OwnCost(const OwnCost&) = delete;
  OwnCost& operator=(const OwnCost&) = delete;

  /// submit, poll, visit, @p count times.
  void through_ring(std::size_t count);
  /// The driver calls of so many readbacks, each kind as often as the ring makes it. @throws std::runtime_error if the
  /// ring makes a call that this does not know how to make
  void calls_only(std::size_t count);
  /// Driver calls for one readback, on average.
  [[nodiscard]] double calls_per_readback() const noexcept { return calls_per_readback_; }

 private:
  /// How often one readback makes each kind of call: some are made for every second or tenth readback only. Worked out
  /// beforehand, so that the bare calls are measured and not this.
  struct Plan {
    std::uint8_t capture_modes = 0;
    std::uint8_t devices = 0;
    std::uint8_t capture_queries = 0;
    std::uint8_t pointer_queries = 0;
    std::uint8_t edges = 0;  ///< records on the producer
    std::uint8_t waits = 0;
    std::uint8_t copies = 0;
    std::uint8_t marks = 0;  ///< records behind the copy
    std::uint8_t event_queries = 0;
  };
  void learn();

  Source source_{64, 61};
  test::Stream producer_;
  tailrace::ReadbackRing ring_;
  // For the bare calls.
  test::Stream copy_stream_;
  void* slot_;
  tailrace::native_event edge_ = nullptr;
  tailrace::native_event mark_ = nullptr;
  std::vector<Plan> plans_;  // used in turn
  double calls_per_readback_ = 0;
};

}  // namespace bench
