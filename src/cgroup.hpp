// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include "src/system_file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tailrace::inline TAILRACE_ABI::detail {

/// The limits that control groups, of version 1 or 2, set to a process: the tightest one of its own group and those
/// above it. Inside a container the group's own folder may not be visible; the root that is visible then carries the
/// container's limit.
class ControlGroups {
 public:
  /// Of this process.
  ControlGroups();
  /// @param membership  the content of /proc/self/cgroup
  ControlGroups(std::string membership, ReadFile read);

  /// Whole CPUs of the CPU quota, at least 1; empty without a quota.
  [[nodiscard]] std::optional<std::uint64_t> cpus() const;
  /// Bytes of memory; empty without a limit.
  [[nodiscard]] std::optional<std::uint64_t> memory() const;
  /// Bytes that may still be touched before the kernel kills somebody for it, now; empty without a limit.
  [[nodiscard]] std::optional<std::uint64_t> memory_left() const;

 private:
  using Limit = std::optional<std::uint64_t>;
  /// Reads the limit that a folder's files set.
  using LimitOf = Limit (*)(const std::string& folder, const ReadFile& read);
  struct Controller {
    std::string_view name;
    LimitOf version_1;
    LimitOf version_2;
  };
  [[nodiscard]] Limit tightest(const Controller& controller) const;
  [[nodiscard]] Limit tightest_up_from(const std::string& root, std::string_view group, LimitOf limit_of) const;

  std::string membership_;
  ReadFile read_;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
