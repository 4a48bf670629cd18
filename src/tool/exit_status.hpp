// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

namespace tailrace::tool {

/// What the program answers to its caller.
enum class ExitStatus : int {
  success = 0,
  failure = 1,    ///< wrong bytes, two runs that differ, or a failed run
  bad_input = 2,  ///< wrong arguments, or a file that cannot be used
  no_device = 3   ///< no such device, or no usable driver
};

}  // namespace tailrace::tool
