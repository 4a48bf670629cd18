// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/cgroup.hpp"

#include <algorithm>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

/// Empty where the kernel writes no number: "max", or -1 in version 1.
using Limit = std::optional<std::uint64_t>;

Limit tighter(Limit a, Limit b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// Rounded down, since a part of a CPU cannot keep a worker busy.
Limit whole_cpus(Limit quota, Limit period) {
  if (!quota || !period || *quota == 0 || *period == 0) return std::nullopt;
  return std::max<std::uint64_t>(*quota / *period, 1);
}

Limit cpus_of_v1(const std::string& folder, const ReadFile& read) {
  return whole_cpus(number_in(folder + "/cpu.cfs_quota_us", read), number_in(folder + "/cpu.cfs_period_us", read));
}

Limit cpus_of_v2(const std::string& folder, const ReadFile& read) {
  const auto text = read(folder + "/cpu.max");
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  const std::string_view quota = next_word(rest);
  return whole_cpus(number(quota), number(next_word(rest)));
}

Limit memory_of_v1(const std::string& folder, const ReadFile& read) {
  return number_in(folder + "/memory.limit_in_bytes", read);
}

Limit memory_of_v2(const std::string& folder, const ReadFile& read) { return number_in(folder + "/memory.max", read); }

/// What a group's limit leaves. Pages of files count as used, but the kernel drops them before it kills anybody.
Limit left(Limit limit, Limit usage, std::uint64_t file_pages) {
  if (!limit || !usage) return limit;
  const std::uint64_t used = *usage - std::min(*usage, file_pages);
  return *limit - std::min(*limit, used);
}

std::uint64_t file_pages(const std::string& folder, const ReadFile& read, std::string_view active,
                         std::string_view inactive) {
  const std::string text = read(folder + "/memory.stat").value_or("");
  return number_behind(active, text).value_or(0) + number_behind(inactive, text).value_or(0);
}

Limit memory_left_of_v1(const std::string& folder, const ReadFile& read) {
  return left(memory_of_v1(folder, read), number_in(folder + "/memory.usage_in_bytes", read),
              file_pages(folder, read, "total_active_file", "total_inactive_file"));
}

Limit memory_left_of_v2(const std::string& folder, const ReadFile& read) {
  return left(memory_of_v2(folder, read), number_in(folder + "/memory.current", read),
              file_pages(folder, read, "active_file", "inactive_file"));
}

bool lists(std::string_view controllers, std::string_view name) {
  while (!controllers.empty()) {
    const std::string_view first = controllers.substr(0, controllers.find(','));
    if (first == name) return true;
    controllers.remove_prefix(std::min(first.size() + 1, controllers.size()));
  }
  return false;
}

}  // namespace

ControlGroups::ControlGroups() : ControlGroups{read_file("/proc/self/cgroup").value_or(""), read_file} {}

ControlGroups::ControlGroups(std::string membership, ReadFile read)
    : membership_{std::move(membership)}, read_{std::move(read)} {}

Limit ControlGroups::cpus() const {
  return tightest({.name = "cpu", .version_1 = cpus_of_v1, .version_2 = cpus_of_v2});
}

Limit ControlGroups::memory() const {
  return tightest({.name = "memory", .version_1 = memory_of_v1, .version_2 = memory_of_v2});
}

Limit ControlGroups::memory_left() const {
  return tightest({.name = "memory", .version_1 = memory_left_of_v1, .version_2 = memory_left_of_v2});
}

/// Each line of the membership is "hierarchy:controllers:group"; that of version 2 names no controllers.
Limit ControlGroups::tightest(const Controller& controller) const {
  Limit found;
  for (std::string_view rest = membership_; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view group = line.substr(second + 1);
    const std::string root = "/sys/fs/cgroup";
    if (controllers.empty()) found = tighter(found, tightest_up_from(root, group, controller.version_2));
    if (!lists(controllers, controller.name)) continue;
    // Controllers of one hierarchy are mounted under all their names, or under one.
    for (const std::string_view folder : {controller.name, controllers}) {
      found = tighter(found, tightest_up_from(root + "/" + std::string{folder}, group, controller.version_1));
    }
  }
  return found;
}

Limit ControlGroups::tightest_up_from(const std::string& root, std::string_view group, LimitOf limit_of) const {
  Limit found;
  while (group.starts_with('/') && group.size() > 1) {
    found = tighter(found, limit_of(root + std::string{group}, read_));
    group = group.substr(0, group.find_last_of('/'));
  }
  return tighter(found, limit_of(root, read_));
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
