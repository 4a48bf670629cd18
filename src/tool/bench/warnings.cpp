// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "warnings.hpp"

#include "../table.hpp"

#include <cmath>
#include <optional>

namespace tailrace::tool {
namespace {

std::string gbytes(double value) { return fixed(value, 1) + " GB/s"; }

std::optional<Warning> on_another_node(const NodeFacts& facts) {
  const std::optional<int> node = facts.device.numa_node;
  if (!node || facts.cpu_nodes.empty() || facts.cpu_nodes.contains(*node)) return std::nullopt;
  std::string others;
  for (const int other : facts.cpu_nodes) others += (others.empty() ? "" : ", ") + std::to_string(other);
  const std::string number = std::to_string(*node);
  return Warning{
      "the device is at NUMA node " + number + ", and every CPU that this process may use is at node " + others,
      "every byte and every look at a completion crosses from one node to the other",
      "bind the process to the device's node, with `numactl --cpunodebind=" + number + " --membind=" + number +
          "` or in the job's script"};
}

std::optional<Warning> slow_link(const NodeFacts& facts) {
  const DeviceInfo& device = facts.device;
  if (!device.link_gbytes_per_s || !device.link_max_gbytes_per_s) return std::nullopt;
  if (*device.link_gbytes_per_s >= *device.link_max_gbytes_per_s) return std::nullopt;
  return Warning{"the link runs as " + device.link + ", and the device can " + device.link_max,
                 "readbacks get at most " + gbytes(*device.link_gbytes_per_s) + " instead of " +
                     gbytes(*device.link_max_gbytes_per_s),
                 "put the device into a slot that has this speed and width, and look into the firmware's settings and "
                 "for errors of the link in the system's log"};
}

std::optional<Warning> too_few_cpus(const NodeFacts& facts) {
  const double link = facts.device.link_gbytes_per_s.value_or(facts.pinned_gbytes_per_s);
  const auto needed = static_cast<unsigned>(std::ceil(link / gbytes_per_s_per_thread));
  if (facts.copy_threads >= needed) return std::nullopt;
  return Warning{"this process may use " + std::to_string(facts.copy_threads) + " CPUs, and about " +
                     std::to_string(needed) + " are needed to copy into pageable memory as fast as the link delivers",
                 "large reads into pageable memory get about " + gbytes(facts.copy_threads * gbytes_per_s_per_thread) +
                     " of " + gbytes(link),
                 "give the process more CPUs (affinity, quota of its control group), or read into pinned memory"};
}

std::optional<Warning> far_below_link(const NodeFacts& facts) {
  const std::optional<double> link = facts.device.link_gbytes_per_s;
  if (!link || facts.pinned_gbytes_per_s >= least_part_of_link * *link) return std::nullopt;
  return Warning{"even raw copies into pinned memory reach " + gbytes(facts.pinned_gbytes_per_s) + " only, " +
                     fixed(100 * facts.pinned_gbytes_per_s / *link, 0) + " per cent of the link's " + gbytes(*link),
                 "no readback of any kind is faster than that here",
                 "see that nothing else uses the device or its link meanwhile; then look at the links between the "
                 "device and the CPU (`lspci -tv`) and at the settings of the IOMMU"};
}

}  // namespace

std::vector<Warning> node_warnings(const NodeFacts& facts) {
  std::vector<Warning> warnings;
  for (const auto& look : {on_another_node, slow_link, too_few_cpus, far_below_link}) {
    if (auto warning = look(facts)) warnings.push_back(std::move(*warning));
  }
  return warnings;
}

}  // namespace tailrace::tool
