// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "figure.hpp"
#include "warnings.hpp"

#include <tailrace/devices.hpp>

#include <set>
#include <string>
#include <vector>

namespace tailrace::tool {

/// Everything that the benchmark found out.
struct BenchReport {
  std::string version{};
  std::string backend{};
  std::string runtime{};
  std::string driver{};
  int ordinal = 0;
  DeviceInfo device{};        ///< its link as fast as it was seen
  unsigned copy_threads = 0;  ///< workers of the default copy arena
  std::set<int> cpu_nodes{};  ///< NUMA nodes of the CPUs that the process may use; empty: not known
  unsigned seconds_asked = 0;
  double seconds_taken = 0;
  std::vector<Figure> figures{};     ///< "raw_pinned" is among them
  std::vector<std::string> notes{};  ///< what to know of the figures, a sentence each without the final stop
  std::vector<Warning> warnings{};
};

/// For people: a few lines, and a table with what a figure is of the node's own limits.
[[nodiscard]] std::string bench_text(const BenchReport& report);
/// For programs: one JSON object. Names of numbers carry their units; what is not known is null.
[[nodiscard]] std::string bench_json(const BenchReport& report);

/// A bandwidth in per cent of raw copies into pinned memory.
[[nodiscard]] double percent_of_pinned(const BenchReport& report, const Figure& figure);

}  // namespace tailrace::tool
