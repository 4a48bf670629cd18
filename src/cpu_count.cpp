// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/cpu_count.hpp"

#include "src/cgroup.hpp"

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

unsigned affinity_cpus() {
  // The call fails with a mask that is too small for the machine; more CPUs than this has none.
  constexpr int largest = 1 << 16;
  for (int cpus = CPU_SETSIZE; cpus <= largest; cpus *= 4) {
    std::vector<cpu_set_t> mask(static_cast<std::size_t>(cpus / CPU_SETSIZE));
    const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) == 0) {
      return static_cast<unsigned>(std::max(CPU_COUNT_S(bytes, mask.data()), 1));
    }
  }
  return std::max(std::thread::hardware_concurrency(), 1U);
}

}  // namespace

unsigned usable_cpus() {
  const std::uint64_t cpus = affinity_cpus();
  return static_cast<unsigned>(std::min(cpus, ControlGroups{}.cpus().value_or(cpus)));
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
