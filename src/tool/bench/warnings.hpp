// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/devices.hpp>

#include <set>
#include <string>
#include <vector>

namespace tailrace::tool {

/// What one thread that copies from pinned into pageable memory manages, about: 10 GB/s with ordinary stores, up to 14
/// with non-temporal ones out of slots that are in the cache.
inline constexpr double gbytes_per_s_per_thread = 12;
/// Below this part of what the link's signals can carry, something else than the protocol's own cost is in the way.
inline constexpr double least_part_of_link = 0.7;

/// What is looked at.
struct NodeFacts {
  DeviceInfo device{};             ///< its link as it is while something is transferred
  std::set<int> cpu_nodes{};       ///< NUMA nodes of the CPUs that the process may use; empty: not known
  unsigned copy_threads = 0;       ///< workers of the default copy arena
  double pinned_gbytes_per_s = 0;  ///< measured, raw
};

/// Something that makes this node slower than it could be; each text is a sentence without the final stop.
struct Warning {
  std::string seen;
  std::string cost;
  std::string fix;

  [[nodiscard]] std::string text() const { return seen + ": " + cost + ". Fix: " + fix + "."; }
};

[[nodiscard]] std::vector<Warning> node_warnings(const NodeFacts& facts);

}  // namespace tailrace::tool
