// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "../exit_status.hpp"
#include "../options.hpp"

namespace tailrace::tool {

/// Measures what readbacks reach on this node, plain and with this library, and prints it: the report on standard
/// output or as JSON where the options say, warnings on standard error.
/// @throws InputError for a file that cannot be written; Error if there is no such device, a call fails, or a byte
///         arrived wrong
ExitStatus run_bench(const BenchOptions& options);

}  // namespace tailrace::tool
