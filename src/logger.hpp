// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/log.hpp>

#include <string_view>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

/// Calls a handler so that nothing it does can harm the caller. Call it without holding a lock.
class Logger {
 public:
  explicit Logger(LogHandler handler) : handler_{std::move(handler)} {}

  void write(LogLevel level, std::string_view message) const noexcept {
    try {
      handler_ ? handler_(level, message) : default_log(level, message);
    } catch (...) {  // NOLINT(bugprone-empty-catch): a message is not worth a user's job
    }
  }
  void warn(std::string_view message) const noexcept { write(LogLevel::warning, message); }
  void error(std::string_view message) const noexcept { write(LogLevel::error, message); }

 private:
  LogHandler handler_;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
