// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tailrace::inline TAILRACE_ABI::detail {

/// Workers that a copy arena has at most, whatever the machine.
inline constexpr unsigned max_workers = 32;

/// CPUs that this process may use, at least 1: those of its affinity mask, or fewer if a control group's quota is
/// smaller.
[[nodiscard]] unsigned usable_cpus();

/// Reads a whole file; empty if there is none.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

/// Whole CPUs of the tightest CPU quota, of version 1 or 2, of the process's control group and those above it; at least
/// 1; empty without a quota. @p membership is the content of /proc/self/cgroup.
[[nodiscard]] std::optional<unsigned> quota_cpus(std::string_view membership, const ReadFile& read);

}  // namespace tailrace::inline TAILRACE_ABI::detail
