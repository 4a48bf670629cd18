// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "exit_status.hpp"
#include "options.hpp"

namespace tailrace::tool {

/// Runs the demo, prints its table on standard output, and says on standard error where the two runs differ.
/// @throws InputError; Error if there is no such device, or a run fails
ExitStatus run_demo(const DemoOptions& options);

}  // namespace tailrace::tool
