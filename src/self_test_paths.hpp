// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "src/self_test_bed.hpp"

#include <span>

namespace tailrace::inline TAILRACE_ABI::detail {

/// One way of the library's from device to host, to be tried.
struct TestedPath {
  const char* name;
  /// Reads what it writes, and has the bed compare it. Whatever the result, nothing is left enqueued that reads or
  /// writes the bed's memory once the bed has settled.
  /// @throws Error if a call fails
  void (*read)(SelfTestBed& bed, SelfTestPath& path);
};

/// All of them, the simplest first.
[[nodiscard]] std::span<const TestedPath> tested_paths() noexcept;

}  // namespace tailrace::inline TAILRACE_ABI::detail
