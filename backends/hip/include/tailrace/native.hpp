// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

// HIP's own headers are only its names for CUDA's types when they are compiled for NVIDIA.
#ifdef __HIP_PLATFORM_NVIDIA__
struct CUstream_st;
struct CUevent_st;
namespace tailrace::inline TAILRACE_ABI {
/// The backend's stream handle: hipStream_t.
using native_stream = ::CUstream_st*;
/// The backend's event handle: hipEvent_t.
using native_event = ::CUevent_st*;
}  // namespace tailrace::inline TAILRACE_ABI
#else
struct ihipStream_t;
struct ihipEvent_t;
namespace tailrace::inline TAILRACE_ABI {
/// The backend's stream handle: hipStream_t.
using native_stream = ::ihipStream_t*;
/// The backend's event handle: hipEvent_t.
using native_event = ::ihipEvent_t*;
}  // namespace tailrace::inline TAILRACE_ABI
#endif
