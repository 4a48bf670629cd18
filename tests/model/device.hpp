// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// The device of a model: it defines what backends/adapter.hpp declares. Copies of a stream are done, in order, by
/// whoever calls do_copy(), a thread of the model. Each driver call is one step.

#include "backends/adapter.hpp"
#include "tests/model/explorer.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace model {

/// What a call may do instead of what it should. How often, in one execution; the explorer tries all places.
struct Faults {
  unsigned queries = 0;           ///< event queries that fail, without harm to the device
  unsigned records = 0;           ///< event records on the copy stream that fail
  unsigned losses = 0;            ///< event queries that find the device lost
  bool early_completion = false;  ///< a broken device: an event is complete before its copies are
};

/// One execution's device; calls of the seam go to the one that was made last.
class Device {
 public:
  explicit Device(Faults faults = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Waits for the next copy of the copy stream and does it.
  void do_copy();
  /// Does all there are, from outside of the threads.
  void finish();
  [[nodiscard]] bool lost() const noexcept { return lost_; }
  /// No fault from now on.
  void calm() noexcept { faults_ = {}; }

  // Whose the bytes of a slot are; required of whoever touches them.
  void begin_reading(const void* bytes);
  void end_reading(const void* bytes);

 private:
  friend struct Calls;
  struct Copy {
    std::uint64_t* to;
    const std::uint64_t* from;
  };
  void do_next() noexcept;

  Faults faults_;
  Object queue_;  // of everything below
  std::vector<Copy> copies_;
  std::size_t done_ = 0;
  bool lost_ = false;
  std::map<const void*, unsigned> readers_;
};

}  // namespace model
