// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/cpu_count.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <thread>
#include <vector>

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

using Cpus = std::optional<unsigned>;

Cpus tighter(Cpus a, Cpus b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// The first word of the text, which is removed from it.
std::string_view next_word(std::string_view& text) {
  constexpr std::string_view blanks = " \t\n";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

std::optional<std::int64_t> number(std::string_view word) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Rounded down, since a part of a CPU cannot keep a worker busy. No limit is "max", or -1 in version 1.
Cpus whole_cpus(std::string_view quota, std::string_view period) {
  const auto of = number(period);
  const auto time = number(quota);
  if (!time || !of || *time <= 0 || *of <= 0) return std::nullopt;
  const std::int64_t cpus = std::clamp<std::int64_t>(*time / *of, 1, std::numeric_limits<int>::max());
  return static_cast<unsigned>(cpus);
}

Cpus quota_of_v2(const std::string& folder, const ReadFile& read) {
  const auto text = read(folder + "/cpu.max");
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  const std::string_view quota = next_word(rest);
  return whole_cpus(quota, next_word(rest));
}

Cpus quota_of_v1(const std::string& folder, const ReadFile& read) {
  const auto quota = read(folder + "/cpu.cfs_quota_us");
  const auto period = read(folder + "/cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  std::string_view quota_text = *quota;
  std::string_view period_text = *period;
  return whole_cpus(next_word(quota_text), next_word(period_text));
}

/// The tightest quota of the group and all above it. Inside a container the group's own folder may not be visible; the
/// root that is visible then carries the container's quota.
template <class QuotaOf>
Cpus tightest(const std::string& root, std::string_view group, const ReadFile& read, QuotaOf quota_of) {
  Cpus found;
  while (!group.empty() && group != "/") {
    found = tighter(found, quota_of(root + std::string{group}, read));
    group = group.substr(0, group.find_last_of('/'));
  }
  return tighter(found, quota_of(root, read));
}

bool lists(std::string_view controllers, std::string_view name) {
  while (!controllers.empty()) {
    const std::string_view first = controllers.substr(0, controllers.find(','));
    if (first == name) return true;
    controllers.remove_prefix(std::min(first.size() + 1, controllers.size()));
  }
  return false;
}

/// One line of /proc/self/cgroup, "hierarchy:controllers:group".
Cpus quota_of_line(std::string_view line, const ReadFile& read) {
  const std::size_t first = line.find(':');
  const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  const std::string_view group = line.substr(second + 1);
  if (controllers.empty()) return tightest("/sys/fs/cgroup", group, read, quota_of_v2);
  Cpus found;
  if (lists(controllers, "cpu")) {
    for (const char* const root : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"}) {
      found = tighter(found, tightest(root, group, read, quota_of_v1));
    }
  }
  return found;
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file{path};
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>{file}, {}};
}

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

std::optional<unsigned> quota_cpus(std::string_view membership, const ReadFile& read) {
  Cpus found;
  while (!membership.empty()) {
    const std::string_view line = membership.substr(0, membership.find('\n'));
    found = tighter(found, quota_of_line(line, read));
    membership.remove_prefix(std::min(line.size() + 1, membership.size()));
  }
  return found;
}

unsigned usable_cpus() {
  const unsigned cpus = affinity_cpus();
  return std::min(cpus, quota_cpus(read_file("/proc/self/cgroup").value_or(""), read_file).value_or(cpus));
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
