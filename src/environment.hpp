// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <cstdlib>
#include <optional>
#include <string_view>

namespace tailrace::inline TAILRACE_ABI::detail {

/// The variable's text; empty if it is not set.
inline std::optional<std::string_view> environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets the environment
  return value == nullptr ? std::nullopt : std::optional<std::string_view>{value};
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
