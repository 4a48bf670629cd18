// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "backends/adapter.hpp"
#include "backends/host/host_error.hpp"

#include <cstddef>

namespace tailrace::inline TAILRACE_ABI::host {

struct Extent {
  std::size_t bytes = 0;  ///< that arrive
  std::size_t span = 0;   ///< from the first byte read to the last
};

/// Checks the shape as the vendors' pitched copies do; says nothing about the memory.
[[nodiscard]] Code measure(const backend::Region& region, Extent& extent) noexcept;
/// Copies row by row, never touching the padding.
void copy_dense(std::byte* destination, const backend::Region& source) noexcept;

}  // namespace tailrace::inline TAILRACE_ABI::host
