// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/native.hpp>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tailrace::inline TAILRACE_ABI::backend {

/// The calls of the hot path as the driver library itself has them. The runtime's calls of the same names do the same
/// at two to eight times the cost (docs/performance.md). Codes and handles are the same in both; a failing call of the
/// driver's does not touch the runtime's last error.
///
/// The library is reached through the runtime, so that nothing links it and a program without a driver still starts.
/// Where it has no such entry the runtime's call stands in.
///
/// The driver's calls take a stream's device from its handle; the two special handles name a stream of the context that
/// is current, and only the runtime makes one current. So these stay with the runtime: see special().
class CudaDriver {
 public:
  static const CudaDriver& get() noexcept {
    static const CudaDriver driver;
    return driver;
  }
  [[nodiscard]] static bool special(native_stream stream) noexcept {
    return reinterpret_cast<std::uintptr_t>(stream) <= 2;
  }

  CUresult (*exchange_capture_mode)(CUstreamCaptureMode*);
  CUresult (*stream_capturing)(CUstream, CUstreamCaptureStatus*);
  CUresult (*stream_wait)(CUstream, CUevent, unsigned);
  CUresult (*event_record)(CUevent, CUstream);
  CUresult (*event_query)(CUevent);
  CUresult (*copy_to_host)(void*, CUdeviceptr, std::size_t, CUstream);
  // No stand-in: null without a driver.
  CUresult (*stream_context)(CUstream, CUcontext*);
  CUresult (*pointer_attribute)(void*, CUpointer_attribute, CUdeviceptr);
  CUresult (*pointer_attributes)(unsigned, CUpointer_attribute*, void**, CUdeviceptr);

 private:
  CudaDriver() noexcept {
    find("cuThreadExchangeStreamCaptureMode", exchange_capture_mode, [](CUstreamCaptureMode* mode) {
      auto native = static_cast<cudaStreamCaptureMode>(*mode);
      const cudaError_t result = cudaThreadExchangeStreamCaptureMode(&native);
      *mode = static_cast<CUstreamCaptureMode>(native);
      return code(result);
    });
    find("cuStreamIsCapturing", stream_capturing, [](CUstream stream, CUstreamCaptureStatus* found) {
      cudaStreamCaptureStatus native{};
      const cudaError_t result = cudaStreamIsCapturing(stream, &native);
      *found = static_cast<CUstreamCaptureStatus>(native);
      return code(result);
    });
    find("cuStreamWaitEvent", stream_wait, [](CUstream stream, CUevent event, unsigned flags) {
      return code(cudaStreamWaitEvent(stream, event, flags));
    });
    find("cuEventRecord", event_record,
         [](CUevent event, CUstream stream) { return code(cudaEventRecord(event, stream)); });
    find("cuEventQuery", event_query, [](CUevent event) { return code(cudaEventQuery(event)); });
    find("cuMemcpyDtoHAsync", copy_to_host, [](void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
      return code(cudaMemcpyAsync(to, reinterpret_cast<const void*>(from), bytes, cudaMemcpyDeviceToHost, stream));
    });
    find("cuStreamGetCtx", stream_context, nullptr);
    find("cuPointerGetAttribute", pointer_attribute, nullptr);
    find("cuPointerGetAttributes", pointer_attributes, nullptr);
  }

  static CUresult code(cudaError_t result) noexcept { return static_cast<CUresult>(result); }

  template <class Call>
  static void find(const char* name, Call& call, std::type_identity_t<Call> stand_in) noexcept {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    const cudaError_t result = cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found);
    if (result != cudaSuccess) static_cast<void>(cudaGetLastError());
    const bool there = result == cudaSuccess && found == cudaDriverEntryPointSuccess;
    call = there ? reinterpret_cast<Call>(entry) : stand_in;
  }
};

}  // namespace tailrace::inline TAILRACE_ABI::backend
