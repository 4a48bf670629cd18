// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "exit_status.hpp"

namespace tailrace::tool {

/// Prints what tailrace was built for and what it finds on this machine.
/// @returns no_device if there is nothing that it could work with
ExitStatus print_info();

}  // namespace tailrace::tool
