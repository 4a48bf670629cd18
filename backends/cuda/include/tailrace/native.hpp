// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

struct CUstream_st;
struct CUevent_st;

namespace tailrace::inline TAILRACE_ABI {

/// The backend's stream handle: cudaStream_t.
using native_stream = ::CUstream_st*;
/// The backend's event handle: cudaEvent_t.
using native_event = ::CUevent_st*;

}  // namespace tailrace::inline TAILRACE_ABI
