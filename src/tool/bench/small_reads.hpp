// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "plain_reader.hpp"
#include "turns.hpp"

#include <tailrace/ring.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace tailrace::tool {

/// Small readbacks into ordinary memory: how many a second with a number of them under way, against the plain blocking
/// copy that returns before the next one is started; and how long a single one takes until its bytes are there.
class SmallReads {
 public:
  static constexpr std::size_t bytes = 4096;
  static constexpr std::size_t depth = 64;

  /// @throws std::bad_alloc; Error (Errc::out_of_pinned_memory)
  explicit SmallReads(Device device);

  /// @throws Error, if a byte is wrong too
  [[nodiscard]] std::vector<Figure> measure_rate(TimeBudget::Clock::time_point end,
                                                 const std::function<void()>& report_turn);
  [[nodiscard]] std::vector<Figure> measure_latency(TimeBudget::Clock::time_point end,
                                                    const std::function<void()>& report_turn);

 private:
  [[nodiscard]] std::vector<Figure> measure(std::span<Way> ways, TimeBudget::Clock::time_point end,
                                            const std::function<void()>& report_turn);
  double plain_rate();
  double ring_rate();
  void read_plainly(std::size_t number);
  [[nodiscard]] Ticket submit(std::size_t number);
  /// Readback number n is of this part of the source, and arrives in the same part of the destination.
  [[nodiscard]] static std::size_t offset(std::size_t number) noexcept { return number % depth * bytes; }
  [[nodiscard]] std::span<std::byte> destination(std::size_t number);

  PlainReader source_;
  std::vector<std::byte> destination_;
  ReadbackRing ring_;
};

}  // namespace tailrace::tool
