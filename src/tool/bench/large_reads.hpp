// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "plain_reader.hpp"
#include "turns.hpp"

#include <tailrace/ring.hpp>
#include <tailrace/runtime.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace tailrace::tool {

/// The bandwidth of large reads: raw into pinned memory, plain into pageable memory, Runtime::read() into the same, and
/// a ring of large slots whose results are looked at in place.
class LargeReads {
 public:
  /// @param bytes  of a read, a power of two
  /// @throws std::bad_alloc; Error (Errc::out_of_pinned_memory)
  LargeReads(Device device, std::size_t bytes);

  /// Measures until @p end, and looks at the link after every turn, as long as it is awake: many devices let it sleep
  /// when there is nothing to transfer. @throws Error, if a byte is wrong too
  [[nodiscard]] std::vector<Figure> measure(TimeBudget::Clock::time_point end,
                                            const std::function<void()>& report_turn);
  [[nodiscard]] std::size_t bytes() const noexcept { return destination_.size(); }
  /// The device, with its link as fast as it was seen.
  [[nodiscard]] const DeviceInfo& info() const noexcept { return info_; }

 private:
  [[nodiscard]] double bandwidth(TimeBudget::Clock::time_point start) const;
  double raw_pinned(const Pattern& pattern);
  double plain_pageable(const Pattern& pattern);
  double library_pageable(const Pattern& pattern);
  double library_ring(const Pattern& pattern);
  void look_at_link();

  Device device_;
  DeviceInfo info_;
  PlainReader source_;
  std::vector<std::byte> destination_;
  Runtime runtime_;
  ReadbackRing ring_;
};

}  // namespace tailrace::tool
