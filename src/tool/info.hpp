// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "exit_status.hpp"
#include "options.hpp"

namespace tailrace::tool {

/// Prints what tailrace was built for and what it finds on this machine.
/// @returns no_device if there is nothing that it could work with; failure if a self-test that was asked for did not
///          pass on every device
ExitStatus print_info(const InfoOptions& options);

}  // namespace tailrace::tool
