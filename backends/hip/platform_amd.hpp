// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "backends/adapter.hpp"

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tailrace::inline TAILRACE_ABI::backend {

/// What the runtime's answer about a pointer means. The structure has "memoryType" before HIP 6 and "type" from 6 on,
/// with other numbers: those are the header's. What else an address says of itself, such as that the host can read it,
/// as it can all memory of an integrated device, changes nothing.
template <class Attributes>
MemoryKind memory_kind(const Attributes& attributes) noexcept {
  if (attributes.isManaged != 0) return MemoryKind::managed;
  hipMemoryType type{};
  if constexpr (requires { attributes.type; })
    type = attributes.type;
  else
    type = attributes.memoryType;
  if (type == hipMemoryTypeDevice) return MemoryKind::device;
  return type == hipMemoryTypeHost ? MemoryKind::pinned : MemoryKind::pageable;
}

/// What of HIP is its own on AMD, with the places where its versions differ (from 5.2 on).
struct HipPlatform {
  /// HIP's documentation of coherence names the allocations that are coherent, and registered memory is not among them;
  /// its flags can ask for coarse-grained memory, but not for coherent one by name.
  static constexpr bool registers_coherently = false;

  static constexpr const char* wrong_copies_advice =
      "do not trust this device: run again with HSA_ENABLE_SDMA=0 (copies by kernels) and AMD_SERIALIZE_COPY=3 (one "
      "copy "
      "at a time), each by itself, to see which of them changes it, and use another version of ROCm and its driver; "
      "docs/amd.md says more";
  static Outcome classify(int code) noexcept {
    if (code >= hipErrorStreamCaptureUnsupported && code <= hipErrorStreamCaptureWrongThread) return Outcome::capturing;
    switch (code) {
      case hipErrorIllegalAddress:
      case hipErrorLaunchTimeOut:
      case hipErrorAssert:
      case hipErrorLaunchFailure:
      case hipErrorECCNotCorrectable: return Outcome::device_lost;
      case hipErrorDeinitialized: return Outcome::unloading;

      case hipErrorNotInitialized:
      case hipErrorInsufficientDriver:
      case hipErrorNoDevice:
      case hipErrorInvalidDevice: return Outcome::no_device;

      case hipErrorOutOfMemory: return Outcome::out_of_memory;
      case hipErrorInvalidHandle:
      case hipErrorContextIsDestroyed: return Outcome::bad_handle;  // both are the answer to a stream that is gone
      case hipErrorNotSupported: return Outcome::unsupported;
      default: return Outcome::failed;  // hipErrorUnknown too: HIP says it of many a call that merely failed
    }
  }
  static int take_last_error(hipError_t result) noexcept {
    static_cast<void>(hipGetLastError());
    return result;
  }
  static const char* error_name(int code) noexcept { return hipGetErrorName(static_cast<hipError_t>(code)); }
  static const char* error_text(int code) noexcept { return hipGetErrorString(static_cast<hipError_t>(code)); }

  static std::string version_text(int version) {
    if (version < 10'000'000) return std::to_string(version);  // older drivers answer a build number of their own
    return std::to_string(version / 10'000'000) + "." + std::to_string(version / 100'000 % 100) + "." +
           std::to_string(version % 100'000);
  }
  static std::string architecture(const hipDeviceProp_t& properties) { return properties.gcnArchName; }

  static hipError_t exchange_capture_mode(hipStreamCaptureMode& mode) noexcept {
    return hipThreadExchangeStreamCaptureMode(&mode);
  }
  static hipError_t stream_is_capturing(hipStream_t stream, hipStreamCaptureStatus& found) noexcept {
    return hipStreamIsCapturing(stream, &found);
  }

  static hipError_t memory_info(const void* pointer, Memory& memory) noexcept {
    hipPointerAttribute_t attributes{};
    const hipError_t result = hipPointerGetAttributes(&attributes, pointer);
    if (result == hipErrorInvalidValue) {  // what some versions say of memory that they do not know: it is pageable
      static_cast<void>(hipGetLastError());
      memory = {};
      return hipSuccess;
    }
    if (result == hipSuccess) memory = {memory_kind(attributes), attributes.device};
    return result;
  }
  static bool address_range(const void* pointer, std::uintptr_t& begin, std::size_t& size) noexcept {
    hipDeviceptr_t start = nullptr;
    if (const hipError_t result = hipMemGetAddressRange(&start, &size, const_cast<void*>(pointer));
        result != hipSuccess) {
      static_cast<void>(take_last_error(result));
      return false;
    }
    begin = reinterpret_cast<std::uintptr_t>(start);
    return start != nullptr;
  }
};

}  // namespace tailrace::inline TAILRACE_ABI::backend
