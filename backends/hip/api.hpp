// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "backends/adapter.hpp"
#ifdef __HIP_PLATFORM_NVIDIA__
#include "backends/hip/platform_nvidia.hpp"
#else
#include "backends/hip/platform_amd.hpp"
#endif

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tailrace::inline TAILRACE_ABI::backend {

/// HIP, as backends/gpu/adapter.inl wants it.
struct HipApi : HipPlatform {
  using Result = hipError_t;
  using CopyKind = hipMemcpyKind;
  static constexpr Result success = hipSuccess;
  static constexpr Result not_ready = hipErrorNotReady;
  static constexpr Result invalid_pitch = hipErrorInvalidPitchValue;
  static constexpr Result out_of_memory = hipErrorOutOfMemory;
  static constexpr Result capture_implicit = hipErrorStreamCaptureImplicit;
  static constexpr CopyKind to_host = hipMemcpyDeviceToHost;
  static constexpr CopyKind on_device = hipMemcpyDeviceToDevice;
  static constexpr CopyKind to_device = hipMemcpyHostToDevice;
  static constexpr bool notes_not_ready = true;  // versions before 7
  static constexpr bool handles_stand_alone = false;
  static constexpr CaptureMode relaxed_capture = hipStreamCaptureModeRelaxed;

  // Errors and versions.
  static Result peek_last_error() noexcept { return hipPeekAtLastError(); }
  static Result runtime_version(int& version) noexcept { return hipRuntimeGetVersion(&version); }
  static Result driver_version(int& version) noexcept { return hipDriverGetVersion(&version); }

  // Devices.
  static Result device_count(int& count) noexcept { return hipGetDeviceCount(&count); }
  static Result get_device(int& device) noexcept { return hipGetDevice(&device); }
  static Result set_device(int device) noexcept { return hipSetDevice(device); }
  static Result describe(int device, DeviceInfo& info) {
    hipDeviceProp_t properties{};
    if (const Result result = hipGetDeviceProperties(&properties, device); result != success) return result;
    int integrated = 0;
    if (const Result result = hipDeviceGetAttribute(&integrated, hipDeviceAttributeIntegrated, device);
        result != success) {
      return result;
    }
    info.name = properties.name;
    info.architecture = architecture(properties);
    info.memory_bytes = properties.totalGlobalMem;
    info.integrated = integrated != 0;
    return success;
  }
  static Result pci_address(char* text, int size, int device) noexcept {
    return hipDeviceGetPCIBusId(text, size, device);
  }
  static Result exchange_capture_mode(CaptureMode& mode) noexcept {
    auto native = static_cast<hipStreamCaptureMode>(mode);
    const Result result = HipPlatform::exchange_capture_mode(native);
    if (result == success) mode = native;
    return result;
  }

  // Memory. Coherence is asked for by name: "portable" alone would turn it off, and without it a copy is promised to be
  // visible only after a synchronisation, which an event query is not.
  static Result pinned_allocate(std::size_t bytes, void*& memory) noexcept {
    return hipHostMalloc(&memory, bytes, hipHostMallocPortable | hipHostMallocCoherent);
  }
  static Result pinned_free(void* memory) noexcept { return hipHostFree(memory); }
  static Result pinned_register(void* memory, std::size_t bytes) noexcept {
    return hipHostRegister(memory, bytes, hipHostRegisterPortable);
  }
  static Result pinned_unregister(void* memory) noexcept { return hipHostUnregister(memory); }
  static Result device_allocate(std::size_t bytes, void*& memory) noexcept { return hipMalloc(&memory, bytes); }
  static Result device_free(void* memory) noexcept { return hipFree(memory); }

  // Streams and events.
  /// HIP has no handle of the legacy stream before 6.2: there it is the null stream, which means the legacy one in code
  /// that is compiled as this is, without per-thread default streams.
  static native_stream stream(native_stream stream) noexcept {
    return reinterpret_cast<std::uintptr_t>(stream) == 1 ? nullptr : stream;
  }
  static Result stream_priority_range(int& least, int& greatest) noexcept {
    return hipDeviceGetStreamPriorityRange(&least, &greatest);
  }
  static Result stream_create(int priority, native_stream& stream) noexcept {
    return hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, priority);
  }
  static Result blocking_stream_create(native_stream& stream) noexcept {
    return hipStreamCreateWithFlags(&stream, hipStreamDefault);
  }
  static Result stream_destroy(native_stream stream) noexcept { return hipStreamDestroy(stream); }
  static Result stream_synchronize(native_stream stream) noexcept { return hipStreamSynchronize(stream); }
  static Result stream_wait(native_stream stream, native_event event) noexcept {
    return hipStreamWaitEvent(stream, event, 0);
  }
  /// Not every version can tell.
  static bool same_device(native_stream /*stream*/, native_stream /*other*/) noexcept { return false; }
  static Result stream_capturing(native_stream stream, bool& capturing) noexcept {
    hipStreamCaptureStatus found{};
    const Result result = HipPlatform::stream_is_capturing(stream, found);
    capturing = found != hipStreamCaptureStatusNone;
    return result;
  }
  /// Released to the system: what was copied before the event is visible to the host when a query says it is over.
  static Result event_create(native_event& event) noexcept {
    return hipEventCreateWithFlags(&event, hipEventDisableTiming | hipEventReleaseToSystem);
  }
  static Result event_destroy(native_event event) noexcept { return hipEventDestroy(event); }
  static Result event_record(native_event event, native_stream stream) noexcept {
    return hipEventRecord(event, stream);
  }
  static Result event_query(native_event event) noexcept { return hipEventQuery(event); }

  // Copies.
  static Result copy_1d(void* to, const void* from, std::size_t bytes, CopyKind kind, native_stream stream) noexcept {
    return hipMemcpyAsync(to, from, bytes, kind, stream);
  }
  static Result copy_2d(void* to, const Region& from, CopyKind kind, native_stream stream) noexcept {
    return hipMemcpy2DAsync(to, from.width, from.data, from.pitch, from.width, from.height, kind, stream);
  }
  static Result copy_3d(void* to, const Region& from, CopyKind kind, native_stream stream) noexcept {
    hipMemcpy3DParms copy{};
    copy.srcPtr = {const_cast<void*>(from.data), from.pitch, from.width, from.slice_pitch / from.pitch};
    copy.dstPtr = {to, from.width, from.width, from.height};
    copy.extent = {from.width, from.height, from.depth};
    copy.kind = kind;
    return hipMemcpy3DAsync(&copy, stream);
  }
};

}  // namespace tailrace::inline TAILRACE_ABI::backend
