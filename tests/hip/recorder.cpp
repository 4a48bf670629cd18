// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/hip/recorder.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace {

using recorder::Call;
using recorder::LastError;

constexpr std::align_val_t page{4096};
struct Free {
  void operator()(std::byte* memory) const noexcept { ::operator delete(memory, page); }
};

struct Block {
  std::unique_ptr<std::byte, Free> storage;  ///< empty for a registration
  std::size_t bytes = 0;
  hipPointerAttribute_t attributes{};
};

struct Runtime {
  std::recursive_mutex mutex;
  recorder::Behaviour behaviour;
  std::vector<Call> calls;
  std::map<std::uintptr_t, Block> blocks;
};

Runtime& runtime() {
  static Runtime the_runtime;
  return the_runtime;
}

struct Thread {
  int device = 0;
  hipError_t last_error = hipSuccess;
  hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
};
thread_local Thread thread;

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

hipError_t answer(hipError_t result) {
  const bool failed = result != hipSuccess && result != hipErrorNotReady;
  const recorder::Behaviour& behaviour = runtime().behaviour;
  if (failed && behaviour.noted_instead != hipSuccess)
    thread.last_error = behaviour.noted_instead;
  else if (failed || behaviour.last_error == LastError::of_the_last_call)
    thread.last_error = result;
  return result;
}

/// Writes the call down, and does it, unless it is to fail.
template <class Work>
hipError_t record(Call call, Work work) {
  Runtime& hip = runtime();
  const std::lock_guard lock{hip.mutex};
  call.device = thread.device;
  call.mode = thread.mode;
  const bool fails = call.name == hip.behaviour.failing;
  hip.calls.push_back(std::move(call));
  if (!fails) return answer(work(hip));
  hip.behaviour.failing.clear();
  return answer(hip.behaviour.failure);
}

hipError_t nothing(Runtime& /*hip*/) { return hipSuccess; }

/// The member has another name from HIP 6 on.
template <class Attributes>
void set_type(Attributes& attributes, hipMemoryType type) {
  if constexpr (requires { attributes.type; })
    attributes.type = type;
  else
    attributes.memoryType = type;
}

/// The block that the address is in, or null.
const std::pair<const std::uintptr_t, Block>* find(Runtime& hip, const void* address) {
  const auto next = hip.blocks.upper_bound(number(address));
  if (next == hip.blocks.begin()) return nullptr;
  const auto& found = *std::prev(next);
  return number(address) - found.first < found.second.bytes ? &found : nullptr;
}

void* add(Runtime& hip, std::size_t bytes, hipMemoryType type, bool managed = false) {
  Block block;
  block.bytes = bytes;
  block.storage.reset(static_cast<std::byte*>(::operator new(bytes, page)));
  std::byte* const memory = block.storage.get();
  set_type(block.attributes, type);
  block.attributes.device = thread.device;
  block.attributes.devicePointer = memory;
  // An integrated device's memory has an address on the host, too.
  if (type == hipMemoryTypeHost || hip.behaviour.integrated != 0) block.attributes.hostPointer = memory;
  block.attributes.isManaged = managed ? 1 : 0;
  hip.blocks.emplace(number(memory), std::move(block));
  return memory;
}

hipError_t remove(Runtime& hip, const void* memory) {
  return hip.blocks.erase(number(memory)) == 1 ? hipSuccess : hipErrorInvalidValue;
}

/// A handle that is nobody else's. Never freed: handles of streams and events that are gone stay distinct.
template <class Handle>
Handle new_handle() {
  static std::uintptr_t last = 0x1000;
  return reinterpret_cast<Handle>(last += 16);
}

}  // namespace

namespace recorder {

void reset() {
  Runtime& hip = runtime();
  const std::lock_guard lock{hip.mutex};
  hip.behaviour = {};
  hip.calls.clear();
  hip.blocks.clear();
  thread = {};
}

Behaviour& behaviour() { return runtime().behaviour; }

std::vector<Call> calls(std::string_view name) {
  Runtime& hip = runtime();
  const std::lock_guard lock{hip.mutex};
  std::vector<Call> found;
  std::ranges::copy_if(hip.calls, std::back_inserter(found),
                       [name](const Call& call) { return name.empty() || call.name == name; });
  return found;
}

void forget_calls() {
  const std::lock_guard lock{runtime().mutex};
  runtime().calls.clear();
}

void* managed(std::size_t bytes) {
  const std::lock_guard lock{runtime().mutex};
  return add(runtime(), bytes, hipMemoryTypeDevice, /* managed */ true);
}

}  // namespace recorder

// What the library may call. The signatures are those of HIP's header, which is included above.
extern "C" {

hipError_t hipGetLastError() { return std::exchange(thread.last_error, hipSuccess); }
hipError_t hipPeekAtLastError() { return thread.last_error; }
const char* hipGetErrorName(hipError_t) { return "a name"; }
const char* hipGetErrorString(hipError_t) { return "a text"; }

hipError_t hipRuntimeGetVersion(int* version) {
  return record({.name = __func__}, [=](Runtime&) { return *version = 50'221'153, hipSuccess; });
}
hipError_t hipDriverGetVersion(int* version) {
  return record({.name = __func__}, [=](Runtime&) { return *version = 50'221'153, hipSuccess; });
}

hipError_t hipGetDeviceCount(int* count) {
  return record({.name = __func__}, [=](Runtime& hip) {
    if (hip.behaviour.device_count == hipSuccess) *count = 2;
    return hip.behaviour.device_count;
  });
}
hipError_t hipGetDevice(int* device) {
  return record({.name = __func__}, [=](Runtime&) { return *device = thread.device, hipSuccess; });
}
hipError_t hipSetDevice(int device) {
  return record({.name = __func__}, [=](Runtime&) { return thread.device = device, hipSuccess; });
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int) {
  return record({.name = __func__}, [=](Runtime&) {
    *properties = {};
    std::strcpy(properties->name, "recorder");
    std::strcpy(properties->gcnArchName, "gfx90a:sramecc+:xnack-");
    properties->totalGlobalMem = std::size_t{1} << 30;
    return hipSuccess;
  });
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int) {
  return record({.name = __func__}, [=](Runtime& hip) {
    if (attribute != hipDeviceAttributeIntegrated) return hipErrorInvalidValue;
    *value = hip.behaviour.integrated;
    return hipSuccess;
  });
}
hipError_t hipDeviceGetPCIBusId(char*, int, int) {
  return record({.name = __func__}, [](Runtime&) { return hipErrorInvalidValue; });
}
hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return record({.name = __func__}, [=](Runtime&) { return *least = 1, *greatest = -1, hipSuccess; });
}
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  return record({.name = __func__}, [=](Runtime&) { return std::swap(*mode, thread.mode), hipSuccess; });
}

hipError_t hipHostMalloc(void** memory, size_t bytes, unsigned flags) {
  return record({.name = __func__, .flags = flags, .bytes = bytes},
                [=](Runtime& hip) { return *memory = add(hip, bytes, hipMemoryTypeHost), hipSuccess; });
}
hipError_t hipHostFree(void* memory) {
  return record({.name = __func__}, [=](Runtime& hip) { return remove(hip, memory); });
}
hipError_t hipHostRegister(void* memory, size_t bytes, unsigned flags) {
  return record({.name = __func__, .flags = flags, .bytes = bytes}, [=](Runtime& hip) {
    Block block;
    block.bytes = bytes;
    set_type(block.attributes, hipMemoryTypeHost);
    hip.blocks.emplace(number(memory), std::move(block));
    return hipSuccess;
  });
}
hipError_t hipHostUnregister(void* memory) {
  return record({.name = __func__}, [=](Runtime& hip) { return remove(hip, memory); });
}
hipError_t hipMalloc(void** memory, size_t bytes) {
  return record({.name = __func__, .bytes = bytes},
                [=](Runtime& hip) { return *memory = add(hip, bytes, hipMemoryTypeDevice), hipSuccess; });
}
hipError_t hipFree(void* memory) {
  return record({.name = __func__}, [=](Runtime& hip) { return remove(hip, memory); });
}
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
  return record({.name = __func__}, [=](Runtime& hip) {
    if (const auto* found = find(hip, pointer)) return *attributes = found->second.attributes, hipSuccess;
    if (hip.behaviour.unregistered == recorder::Unregistered::is_an_error) return hipErrorInvalidValue;
    *attributes = {};
    set_type(*attributes, hipMemoryTypeUnified);  // older headers have no name for it
    return hipSuccess;
  });
}
hipError_t hipMemGetAddressRange(hipDeviceptr_t* start, size_t* size, hipDeviceptr_t pointer) {
  return record({.name = __func__}, [=](Runtime& hip) {
    const auto* found = find(hip, pointer);
    if (found == nullptr) return hipErrorNotFound;
    *start = reinterpret_cast<hipDeviceptr_t>(found->first);
    *size = found->second.bytes;
    return hipSuccess;
  });
}

static hipError_t create_stream(const char* name, hipStream_t* stream, unsigned flags) {
  return record({.name = name, .flags = flags},
                [=](Runtime&) { return *stream = new_handle<hipStream_t>(), hipSuccess; });
}
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int) {
  return create_stream(__func__, stream, flags);
}
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return create_stream(__func__, stream, flags);
}
hipError_t hipStreamDestroy(hipStream_t stream) { return record({.name = __func__, .stream = stream}, nothing); }
hipError_t hipStreamSynchronize(hipStream_t stream) { return record({.name = __func__, .stream = stream}, nothing); }
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
  return record({.name = __func__, .object = event, .stream = stream}, nothing);
}
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  return record({.name = __func__, .stream = stream},
                [=](Runtime&) { return *status = hipStreamCaptureStatusNone, hipSuccess; });
}
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  return record({.name = __func__, .flags = flags},
                [=](Runtime&) { return *event = new_handle<hipEvent_t>(), hipSuccess; });
}
hipError_t hipEventDestroy(hipEvent_t event) { return record({.name = __func__, .object = event}, nothing); }
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return record({.name = __func__, .object = event, .stream = stream}, nothing);
}
hipError_t hipEventQuery(hipEvent_t event) {
  return record({.name = __func__, .object = event}, [](Runtime& hip) {
    if (hip.behaviour.queries_not_ready == 0) return hipSuccess;
    --hip.behaviour.queries_not_ready;
    return hipErrorNotReady;
  });
}

hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind, hipStream_t stream) {
  return record({.name = __func__, .bytes = bytes, .object = to, .stream = stream},
                [=](Runtime&) { return std::memcpy(to, from, bytes), hipSuccess; });
}
hipError_t hipMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t pitch, size_t width, size_t height,
                            hipMemcpyKind, hipStream_t stream) {
  return record({.name = __func__, .object = to, .stream = stream}, [=](Runtime&) {
    for (std::size_t row = 0; row < height; ++row) {
      std::memcpy(static_cast<std::byte*>(to) + row * to_pitch, static_cast<const std::byte*>(from) + row * pitch,
                  width);
    }
    return hipSuccess;
  });
}
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* copy, hipStream_t stream) {
  return record({.name = __func__, .object = copy->dstPtr.ptr, .stream = stream}, nothing);
}

}  // extern "C"
