// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

namespace tailrace::tool {

/// "0-3,8" as the kernel writes sets of CPUs; nullopt for what is none. The empty text is the empty set.
[[nodiscard]] std::optional<std::set<int>> parse_cpu_list(std::string_view text);

/// CPUs that the calling thread may run on.
[[nodiscard]] std::set<int> affinity_cpus();

/// NUMA nodes that have at least one of the CPUs; empty if the kernel does not say.
[[nodiscard]] std::set<int> numa_nodes_of(const std::set<int>& cpus,
                                          const std::filesystem::path& nodes = "/sys/devices/system/node");

/// Bytes of host memory that this process can still use without swapping: what the kernel reckons is available, and no
/// more than its control group allows at all.
[[nodiscard]] std::size_t available_host_memory(const std::filesystem::path& memory = "/proc/meminfo");

}  // namespace tailrace::tool
