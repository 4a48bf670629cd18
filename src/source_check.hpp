// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "src/device_fault.hpp"
#include "src/driver.hpp"
#include "src/region.hpp"

namespace tailrace::inline TAILRACE_ABI::detail {

// What is asked of the driver about a caller's stream and source before anything is enqueued. The driver's device is
// current.

/// @throws Error (Errc::stream_capturing), or what the driver says of the stream
void require_not_capturing(const Driver& driver, DeviceFault& fault, StreamRef stream, ErrorDetails details);
/// @throws Error (Errc::wrong_memory, wrong_device), or what the driver says of the pointer
void require_device_memory(const Driver& driver, DeviceFault& fault, const Source& source, ErrorDetails details);

}  // namespace tailrace::inline TAILRACE_ABI::detail
