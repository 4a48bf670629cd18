// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <functional>
#include <string_view>

namespace tailrace::inline TAILRACE_ABI {

/// How much a message matters.
enum class LogLevel { info, warning, error };

/// Receives every message of the object that it was given to. It is called from any thread, possibly from several at
/// once, never with a lock of the library held, and must not throw: an exception that leaves it is swallowed. An empty
/// handler means @ref default_log.
using LogHandler = std::function<void(LogLevel level, std::string_view message)>;

/// Writes warnings and errors to standard error, one line each, and drops the rest. Safe from any thread.
TAILRACE_EXPORT void default_log(LogLevel level, std::string_view message) noexcept;

}  // namespace tailrace::inline TAILRACE_ABI
