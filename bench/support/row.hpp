// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// What every benchmark does: two ways of the same work take turns in one process, and the medians are reported as one
/// row of the report.

#include <benchmark/benchmark.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>

namespace bench {

/// What the figures of a row are. bench/report/report.py knows the same by the row's name.
enum class Figure {
  ms,       ///< milliseconds for one of Row::work
  us,       ///< microseconds for one of Row::work
  ns,       ///< nanoseconds for one of Row::work
  gb_per_s  ///< 1e9 bytes a second; Row::work is in bytes
};

/// What is compared with the goal.
enum class Compare {
  times_better,     ///< of our way over the plain one: larger is better
  ours_over_plain,  ///< of two times: smaller is better
  difference        ///< our time less the plain one: smaller is better
};

struct Row {
  std::string name;  ///< of the report's row, or "curve/<name>" for a point of a plot
  double work = 1;   ///< what one turn does: readbacks, steps, or bytes
  Figure figure = Figure::us;
  double goal = 0;  ///< of what `compare` says; 0: there is none
  Compare compare = Compare::times_better;
  double x = 0;  ///< of a point of a plot
};

/// One way of doing the work once. @returns the seconds that it took
using Way = std::function<double()>;

[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A way whose time is that of the call.
template <class F>
[[nodiscard]] Way timed(F work) {
  return [work = std::move(work)]() mutable {
    const auto start = std::chrono::steady_clock::now();
    work();
    return seconds_since(start);
  };
}

/// Runs both ways within every iteration, the one that is first changing, so that a change of the machine's mood meets
/// both; then sets the label and the counters plain, ours, ratio and goal (x in place of it for a point of a plot) from
/// the medians. The benchmark's time is ours. The ways are warm already: whoever calls this has run them, and has
/// checked every byte.
void take_turns(benchmark::State& state, const Row& row, const Way& plain, const Way& ours);

/// Registers a benchmark that reports manual time. Whatever it throws is reported as its error.
benchmark::internal::Benchmark* add(const std::string& name, std::function<void(benchmark::State&)> body);

/// The same for work that is large, or costs much to set up: it has so many turns (three on the reference device) and
/// is set up once, whatever time and repetitions were asked for.
benchmark::internal::Benchmark* add_large(const std::string& name, int turns,
                                          std::function<void(benchmark::State&)> body);

}  // namespace bench
