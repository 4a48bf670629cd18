// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// The vendor's runtime under one spelling, for code that uses a device as a program does: the heat solver and the
/// tests. The vendors' names differ in a prefix only: TAILRACE_GPU(Malloc) is cudaMalloc or hipMalloc. The library has
/// no use for this.

#include <tailrace/config.hpp>
#include <tailrace/error.hpp>
#include <tailrace/stream.hpp>

#ifdef TAILRACE_BACKEND_CUDA
#include <cuda_runtime.h>
#define TAILRACE_GPU(name) cuda##name
#else
#if defined(__HIPCC__) || defined(__CUDACC__)
#include <hip/hip_runtime.h>
#else
#include <hip/hip_runtime_api.h>
#endif
#define TAILRACE_GPU(name) hip##name
#endif

#include <cstdint>
#include <string>

namespace tailrace::inline TAILRACE_ABI::gpu {

/// @throws Error (Errc::driver_error) unless the call succeeded
inline void check(TAILRACE_GPU(Error_t) result, const char* call) {
  if (result == TAILRACE_GPU(Success)) return;
  static_cast<void>(TAILRACE_GPU(GetLastError)());
  ErrorDetails details;
  details.operation = call;
  details.native_code = static_cast<int>(result);
  details.native_name = TAILRACE_GPU(GetErrorName)(result);
  throw Error{Errc::driver_error, std::string{"the vendor's call failed: "} + TAILRACE_GPU(GetErrorString)(result),
              "look the native code up in the vendor's documentation of the call", details};
}

/// The stream as the vendor's calls take it.
inline TAILRACE_GPU(Stream_t) native(StreamRef stream) noexcept {
#if defined(TAILRACE_BACKEND_HIP) && !defined(hipStreamLegacy)
  // Versions of HIP without a handle of the legacy stream know it as the null stream, unless the source is compiled for
  // per-thread default streams: this must not be.
  if (reinterpret_cast<std::uintptr_t>(stream.get()) == 1) return nullptr;
#endif
  return stream.get();
}

}  // namespace tailrace::inline TAILRACE_ABI::gpu
