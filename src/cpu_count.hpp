// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

namespace tailrace::inline TAILRACE_ABI::detail {

/// Workers that a copy arena has at most, whatever the machine.
inline constexpr unsigned max_workers = 32;

/// CPUs that this process may use, at least 1: those of its affinity mask, or fewer if a control group's quota is
/// smaller.
[[nodiscard]] unsigned usable_cpus();

}  // namespace tailrace::inline TAILRACE_ABI::detail
