// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "turns.hpp"

#include <algorithm>
#include <cstdint>

namespace tailrace::tool {

TimeBudget::TimeBudget(std::chrono::duration<double> length)
    : start_{Clock::now()}, end_{start_ + std::chrono::duration_cast<Clock::duration>(length)} {}

TimeBudget::Clock::time_point TimeBudget::share(double part) const {
  const Clock::time_point now = Clock::now();
  return now + std::chrono::duration_cast<Clock::duration>((end_ - now) * part);
}

double TimeBudget::seconds_spent() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void take_turns(std::span<Way> ways, const std::function<void(const Pattern&)>& write,
                TimeBudget::Clock::time_point end, const std::function<void()>& report_turn) {
  using Clock = TimeBudget::Clock;
  Clock::duration longest{};
  std::uint64_t samples = 0;
  for (std::uint64_t turn = 0; turn <= least_turns || Clock::now() + longest <= end; ++turn) {
    const Clock::time_point start = Clock::now();
    for (Way& way : ways) {
      const Pattern pattern = Pattern::of_sample(samples++);
      write(pattern);
      const double value = way.sample(pattern);
      if (turn > 0) way.figure.samples.push_back(value);
    }
    if (turn > 0) longest = std::max(longest, Clock::now() - start);
    report_turn();
  }
}

}  // namespace tailrace::tool
