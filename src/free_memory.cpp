// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/free_memory.hpp"

#include <algorithm>

namespace tailrace::inline TAILRACE_ABI::detail {

std::optional<std::uint64_t> free_memory() { return free_memory(ControlGroups{}, read_file); }

std::optional<std::uint64_t> free_memory(const ControlGroups& groups, const ReadFile& read) {
  const auto kibibytes = number_behind("MemAvailable:", read("/proc/meminfo").value_or(""));
  const auto in_group = groups.memory_left();
  if (!kibibytes) return in_group;
  const std::uint64_t available = *kibibytes * 1024;
  return std::min(available, in_group.value_or(available));
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
