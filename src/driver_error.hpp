// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/error.hpp>

#include "backends/adapter.hpp"

#include <string>

namespace tailrace::inline TAILRACE_ABI::detail {

/// The exception for a driver call that failed: the one place that says what an Outcome means to a user and what to do.
/// @param call     the driver call, as DriverCall has it
/// @param details  where; the native code and name are filled in here
Error driver_error(backend::Status status, const std::string& call, ErrorDetails details);

}  // namespace tailrace::inline TAILRACE_ABI::detail
