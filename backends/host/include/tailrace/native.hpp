// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

namespace tailrace::inline TAILRACE_ABI {

namespace host {
struct Stream;
struct Event;
}  // namespace host

/// The backend's stream handle.
using native_stream = host::Stream*;
/// The backend's event handle.
using native_event = host::Event*;

}  // namespace tailrace::inline TAILRACE_ABI
