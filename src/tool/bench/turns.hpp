// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "figure.hpp"
#include "pattern.hpp"

#include <chrono>
#include <functional>
#include <span>

namespace tailrace::tool {

/// The time that all measurements have together, from the construction on.
class TimeBudget {
 public:
  using Clock = std::chrono::steady_clock;
  explicit TimeBudget(std::chrono::duration<double> length);

  /// When a measurement is to end that starts now and gets @p part, 0 to 1, of what is left.
  [[nodiscard]] Clock::time_point share(double part) const;
  [[nodiscard]] double seconds_spent() const;

 private:
  Clock::time_point start_;
  Clock::time_point end_;
};

/// A way of reading, and what was measured of it so far.
struct Way {
  Figure figure;
  /// Reads once, or a number of times, checks what arrived, and answers with the figure.
  std::function<double(const Pattern&)> sample;
};

/// Fewer turns have no median to speak of.
inline constexpr unsigned least_turns = 3;

/// All ways in turn, again and again, so that a change of the machine's mood meets them all. The first turn, in which
/// memory is touched and threads start, does not count. Ends in time for @p end, by the longest turn so far, but not
/// before least_turns turns.
/// @param write        makes the device memory hold the pattern, a new one for every sample; not timed
/// @param report_turn  called after each turn
void take_turns(std::span<Way> ways, const std::function<void(const Pattern&)>& write,
                TimeBudget::Clock::time_point end, const std::function<void()>& report_turn);

}  // namespace tailrace::tool
