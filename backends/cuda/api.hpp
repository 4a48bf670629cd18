// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "backends/adapter.hpp"
#include "backends/cuda/driver_calls.hpp"
#include "backends/cuda/outcome.hpp"
#include "backends/cuda/pointers.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace tailrace::inline TAILRACE_ABI::backend {

/// CUDA, as backends/gpu/adapter.inl wants it.
struct CudaApi {
  using Result = cudaError_t;
  using CopyKind = cudaMemcpyKind;
  static constexpr Result success = cudaSuccess;
  static constexpr Result not_ready = cudaErrorNotReady;
  static constexpr Result invalid_pitch = cudaErrorInvalidPitchValue;
  static constexpr Result out_of_memory = cudaErrorMemoryAllocation;
  static constexpr Result capture_implicit = cudaErrorStreamCaptureImplicit;
  static constexpr CopyKind to_host = cudaMemcpyDeviceToHost;
  static constexpr CopyKind on_device = cudaMemcpyDeviceToDevice;
  static constexpr CopyKind to_device = cudaMemcpyHostToDevice;
  static constexpr bool notes_not_ready = false;
  static constexpr bool handles_stand_alone = true;
  static constexpr CaptureMode relaxed_capture = cudaStreamCaptureModeRelaxed;

  // Errors and versions.
  static constexpr const char* wrong_copies_advice = cuda_wrong_copies_advice;
  static Result peek_last_error() noexcept { return cudaPeekAtLastError(); }
  static int take_last_error(Result result) noexcept {
    static_cast<void>(cudaGetLastError());
    return result;
  }
  static Outcome classify(int code) noexcept { return cuda_outcome(code); }
  static const char* error_name(int code) noexcept { return cudaGetErrorName(static_cast<Result>(code)); }
  static const char* error_text(int code) noexcept { return cudaGetErrorString(static_cast<Result>(code)); }
  static Result runtime_version(int& version) noexcept { return cudaRuntimeGetVersion(&version); }
  static Result driver_version(int& version) noexcept { return cudaDriverGetVersion(&version); }
  static std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  }

  // Devices.
  static Result device_count(int& count) noexcept { return cudaGetDeviceCount(&count); }
  static Result get_device(int& device) noexcept { return cudaGetDevice(&device); }
  static Result set_device(int device) noexcept { return cudaSetDevice(device); }
  static Result describe(int device, DeviceInfo& info) {
    cudaDeviceProp properties;
    const Result result = cudaGetDeviceProperties(&properties, device);
    if (result != success) return result;
    info.name = properties.name;
    info.architecture = "sm_" + std::to_string(properties.major * 10 + properties.minor);
    info.memory_bytes = properties.totalGlobalMem;
    info.integrated = properties.integrated != 0;
    return success;
  }
  static Result pci_address(char* text, int size, int device) noexcept {
    return cudaDeviceGetPCIBusId(text, size, device);
  }
  static Result exchange_capture_mode(CaptureMode& mode) noexcept {
    auto native = static_cast<CUstreamCaptureMode>(mode);
    const Result result = code(CudaDriver::get().exchange_capture_mode(&native));
    if (result == success) mode = native;
    return result;
  }

  // Memory.
  static Result memory_info(const void* pointer, Memory& memory) noexcept { return cuda_memory_info(pointer, memory); }
  static bool address_range(const void* pointer, std::uintptr_t& begin, std::size_t& size) noexcept {
    return cuda_address_range(pointer, begin, size);
  }
  static Result pinned_allocate(std::size_t bytes, void*& memory) noexcept {
    return cudaHostAlloc(&memory, bytes, cudaHostAllocPortable);
  }
  static Result pinned_free(void* memory) noexcept { return cudaFreeHost(memory); }
  static constexpr bool registers_coherently = true;  // all host memory is, to CUDA
  static Result pinned_register(void* memory, std::size_t bytes) noexcept {
    return cudaHostRegister(memory, bytes, cudaHostRegisterPortable);
  }
  static Result pinned_unregister(void* memory) noexcept { return cudaHostUnregister(memory); }
  static Result device_allocate(std::size_t bytes, void*& memory) noexcept { return cudaMalloc(&memory, bytes); }
  static Result device_free(void* memory) noexcept { return cudaFree(memory); }

  // Streams and events.
  static native_stream stream(native_stream stream) noexcept { return stream; }
  static Result stream_priority_range(int& least, int& greatest) noexcept {
    return cudaDeviceGetStreamPriorityRange(&least, &greatest);
  }
  static Result stream_create(int priority, native_stream& stream) noexcept {
    return cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority);
  }
  static Result blocking_stream_create(native_stream& stream) noexcept {
    return cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
  }
  static Result stream_destroy(native_stream stream) noexcept { return cudaStreamDestroy(stream); }
  static Result stream_synchronize(native_stream stream) noexcept { return cudaStreamSynchronize(stream); }
  static Result stream_wait(native_stream stream, native_event event) noexcept {
    if (CudaDriver::special(stream)) return cudaStreamWaitEvent(stream, event, 0);
    return code(CudaDriver::get().stream_wait(stream, event, CU_EVENT_WAIT_DEFAULT));
  }
  static bool same_device(native_stream stream, native_stream other) noexcept {
    const auto context_of = CudaDriver::get().stream_context;
    if (context_of == nullptr || CudaDriver::special(stream) || CudaDriver::special(other)) return false;
    CUcontext context = nullptr;
    CUcontext others = nullptr;
    return context_of(stream, &context) == CUDA_SUCCESS && context_of(other, &others) == CUDA_SUCCESS &&
           context == others;
  }
  static Result stream_capturing(native_stream stream, bool& capturing) noexcept {
    if (CudaDriver::special(stream)) {
      cudaStreamCaptureStatus found{};
      const Result result = cudaStreamIsCapturing(stream, &found);
      capturing = found != cudaStreamCaptureStatusNone;
      return result;
    }
    CUstreamCaptureStatus found{};
    const Result result = code(CudaDriver::get().stream_capturing(stream, &found));
    capturing = found != CU_STREAM_CAPTURE_STATUS_NONE;
    return result;
  }
  static Result event_create(native_event& event) noexcept {
    return cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  }
  static Result event_destroy(native_event event) noexcept { return cudaEventDestroy(event); }
  static Result event_record(native_event event, native_stream stream) noexcept {
    if (CudaDriver::special(stream)) return cudaEventRecord(event, stream);
    return code(CudaDriver::get().event_record(event, stream));
  }
  static Result event_query(native_event event) noexcept { return code(CudaDriver::get().event_query(event)); }

  // Copies.
  static Result copy_1d(void* to, const void* from, std::size_t bytes, CopyKind kind, native_stream stream) noexcept {
    if (kind == to_host && !CudaDriver::special(stream)) {
      return code(CudaDriver::get().copy_to_host(to, cuda_address(from), bytes, stream));
    }
    return cudaMemcpyAsync(to, from, bytes, kind, stream);
  }
  static Result copy_2d(void* to, const Region& from, CopyKind kind, native_stream stream) noexcept {
    return cudaMemcpy2DAsync(to, from.width, from.data, from.pitch, from.width, from.height, kind, stream);
  }
  static Result copy_3d(void* to, const Region& from, CopyKind kind, native_stream stream) noexcept {
    cudaMemcpy3DParms copy{};
    copy.srcPtr = {const_cast<void*>(from.data), from.pitch, from.width, from.slice_pitch / from.pitch};
    copy.dstPtr = {to, from.width, from.width, from.height};
    copy.extent = {from.width, from.height, from.depth};
    copy.kind = kind;
    return cudaMemcpy3DAsync(&copy, stream);
  }

 private:
  static Result code(CUresult result) noexcept { return static_cast<Result>(result); }
};

}  // namespace tailrace::inline TAILRACE_ABI::backend
