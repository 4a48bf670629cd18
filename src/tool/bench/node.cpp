// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "node.hpp"

#include <tailrace/ring_set.hpp>

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace tailrace::tool {
namespace {

/// A whole number at the front of the text, which it then leaves.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, char character) {
  if (text.empty() || text.front() != character) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<std::set<int>> parse_cpu_list(std::string_view text) {
  constexpr int most_cpus = 1 << 20;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::set<int> cpus;
  if (text.empty()) return cpus;
  do {
    const auto first = take_number(text);
    const auto last = first && take(text, '-') ? take_number(text) : first;
    if (!first || !last || *last < *first || *last > most_cpus) return std::nullopt;
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.insert(cpus.end(), cpu);
  } while (take(text, ','));
  if (!text.empty()) return std::nullopt;
  return cpus;
}

std::set<int> affinity_cpus() {
  // The call fails with a mask that is too small for the machine; more CPUs than this has none.
  constexpr int largest = 1 << 16;
  for (int size = CPU_SETSIZE; size <= largest; size *= 4) {
    std::vector<cpu_set_t> mask(static_cast<std::size_t>(size / CPU_SETSIZE));
    const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) != 0) continue;
    std::set<int> cpus;
    for (int cpu = 0; cpu < size; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, mask.data())) cpus.insert(cpu);
    }
    return cpus;
  }
  return {};
}

std::set<int> numa_nodes_of(const std::set<int>& cpus, const std::filesystem::path& nodes) {
  std::set<int> found;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator{nodes, failure}) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with("node")) continue;
    std::string_view number = std::string_view{name}.substr(4);
    const auto node = take_number(number);
    if (!node || !number.empty()) continue;
    std::string list;
    std::ifstream file{entry.path() / "cpulist"};
    std::getline(file, list);
    const auto of_node = parse_cpu_list(list);
    if (of_node && std::ranges::any_of(*of_node, [&](int cpu) { return cpus.contains(cpu); })) found.insert(*node);
  }
  return found;
}

std::size_t available_host_memory(const std::filesystem::path& memory) {
  // The default budget is 1/32 of what the control group allows, and says nothing of more than 32 GiB.
  const std::size_t allowed = 32 * default_pinned_budget();
  std::ifstream file{memory};
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view name = "MemAvailable:";
    if (!line.starts_with(name)) continue;
    return std::min<std::size_t>(allowed, std::strtoull(line.c_str() + name.size(), nullptr, 10) * 1024);
  }
  return allowed;
}

}  // namespace tailrace::tool
