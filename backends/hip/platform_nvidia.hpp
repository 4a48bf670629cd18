// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "backends/adapter.hpp"
#include "backends/cuda/outcome.hpp"
#include "backends/cuda/pointers.hpp"

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tailrace::inline TAILRACE_ABI::backend {

/// What of HIP is its own on NVIDIA, where it is CUDA under other names. What its headers leave out or lose is asked of
/// CUDA itself. HIP's error codes have CUDA's numbers.
struct HipPlatform {
  static constexpr bool registers_coherently = true;  // as in CUDA, which it is

  static constexpr const char* wrong_copies_advice = cuda_wrong_copies_advice;
  static Outcome classify(int code) noexcept { return cuda_outcome(code); }
  /// HIP's headers translate codes that they do not know to "unknown"; the last error still has the code.
  static int take_last_error(hipError_t result) noexcept {
    const cudaError_t last = cudaGetLastError();
    return result == hipErrorUnknown && last != cudaSuccess ? static_cast<int>(last) : static_cast<int>(result);
  }
  static const char* error_name(int code) noexcept { return cudaGetErrorName(static_cast<cudaError_t>(code)); }
  static const char* error_text(int code) noexcept { return cudaGetErrorString(static_cast<cudaError_t>(code)); }

  static std::string version_text(int version) {
    return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  }
  static std::string architecture(const hipDeviceProp_t& properties) {
    return "sm_" + std::to_string(properties.major * 10 + properties.minor);
  }

  static hipError_t exchange_capture_mode(hipStreamCaptureMode& mode) noexcept {
    return as_hip(cudaThreadExchangeStreamCaptureMode(&mode));
  }
  static hipError_t stream_is_capturing(hipStream_t stream, hipStreamCaptureStatus& found) noexcept {
    return as_hip(cudaStreamIsCapturing(stream, &found));
  }
  static hipError_t memory_info(const void* pointer, Memory& memory) noexcept {
    return as_hip(cuda_memory_info(pointer, memory));
  }
  static bool address_range(const void* pointer, std::uintptr_t& begin, std::size_t& size) noexcept {
    return cuda_address_range(pointer, begin, size);
  }

 private:
  static hipError_t as_hip(cudaError_t result) noexcept { return static_cast<hipError_t>(result); }
};

}  // namespace tailrace::inline TAILRACE_ABI::backend
