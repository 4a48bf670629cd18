// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include "src/cgroup.hpp"

#include <cstdint>
#include <optional>

namespace tailrace::inline TAILRACE_ABI::detail {

/// Bytes of memory that this process may still touch: what the machine has available, or less if a control group leaves
/// less. Whoever touches more is not told, but killed. Empty if the system does not say. True for the moment only.
[[nodiscard]] std::optional<std::uint64_t> free_memory();

/// The same, of a system that is described by its files.
[[nodiscard]] std::optional<std::uint64_t> free_memory(const ControlGroups& groups, const ReadFile& read);

}  // namespace tailrace::inline TAILRACE_ABI::detail
