// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/log.hpp>

#include <cstdio>

namespace tailrace::inline TAILRACE_ABI {

void default_log(LogLevel level, std::string_view message) noexcept {
  if (level == LogLevel::info) return;
  const char* const name = level == LogLevel::warning ? "warning" : "error";
  // One call, so that lines of several threads do not mix.
  static_cast<void>(
      std::fprintf(stderr, "tailrace %s: %.*s\n", name, static_cast<int>(message.size()), message.data()));
}

}  // namespace tailrace::inline TAILRACE_ABI
