// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "backends/adapter.hpp"
#include "backends/host/call.hpp"

#include <unistd.h>

#include <string>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::backend {

using host::Code;
using host::CurrentDevice;
using host::Lock;
using host::Machine;
using host::seam_call;
using host::Selected;
using host::this_thread;
using host::ThisThread;

const CaptureMode relaxed_capture = static_cast<CaptureMode>(host::CaptureMode::relaxed);
const native_stream legacy_stream = reinterpret_cast<native_stream>(1);      // NOLINT(performance-no-int-to-ptr)
const native_stream per_thread_stream = reinterpret_cast<native_stream>(2);  // NOLINT(performance-no-int-to-ptr)

const char* const wrong_copies_advice = "nothing but host memory is used here: test the machine's memory";
std::string runtime_version() { return TAILRACE_VERSION_STRING; }
std::string driver_version() { return "none"; }

/// As with a vendor whose handles do not, so that this is what the tests of the current device see.
const bool handles_stand_alone = false;

// Devices.

Status device_count(int& count) noexcept {
  count = 0;
  return seam_call(DriverCall::device_query, ThisThread{}, [&](Machine& machine, Lock&) {
    count = static_cast<int>(machine.scheduler.devices());
    return Code::success;
  });
}

Status device_info(int device, DeviceInfo& info) noexcept {
  return seam_call(DriverCall::device_query, device, [&](Machine&, Lock&) {
    DeviceInfo found;
    found.name = "host reference device " + std::to_string(device);
    found.architecture = "host";
    found.memory_bytes =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    found.integrated = true;
    info = std::move(found);
    return Code::success;
  });
}

Status get_device(int& device) noexcept {
  return seam_call(DriverCall::current_device, ThisThread{}, [&](Machine&, Lock&) {
    device = this_thread().device;
    return Code::success;
  });
}

Status set_device(int device) noexcept {
  return seam_call(DriverCall::current_device, Selected{device},
                   [&](Machine& machine, Lock&) { return machine.make_current(device); });
}

Status exchange_capture_mode(CaptureMode& mode) noexcept {
  return seam_call(DriverCall::capture_mode, ThisThread{}, [&](Machine&, Lock&) {
    if (mode < 0 || mode > relaxed_capture) return Code::invalid_value;
    const auto wanted = static_cast<host::CaptureMode>(mode);
    mode = static_cast<CaptureMode>(std::exchange(this_thread().capture_mode, wanted));
    return Code::success;
  });
}

// Memory.

Status memory_info(const void* pointer, Memory& memory) noexcept {
  return seam_call(DriverCall::pointer_query, CurrentDevice{}, [&](Machine& machine, Lock&) {
    if (const auto entry = machine.device_memory.find(pointer))
      memory = {entry->managed ? MemoryKind::managed : MemoryKind::device, entry->device};
    else
      memory = {machine.pinned.find(pointer) ? MemoryKind::pinned : MemoryKind::pageable, -1};
    return Code::success;
  });
}

bool pinned_as_a_whole(const void* pointer, std::size_t bytes) noexcept {
  bool pinned = false;
  const Status status = seam_call(DriverCall::pointer_query, CurrentDevice{}, [&](Machine& machine, Lock&) {
    pinned = machine.pinned.find(pointer, bytes) != nullptr;
    return Code::success;
  });
  return status.ok() && pinned;
}

Status pinned_allocate(std::size_t bytes, void*& memory) noexcept {
  return seam_call(DriverCall::pinned_allocate, CurrentDevice{},
                   [&](Machine& machine, Lock& lock) { return machine.allocate_pinned(lock, bytes, memory); });
}

Status pinned_free(void* memory) noexcept {
  return seam_call(DriverCall::pinned_free, static_cast<const void*>(memory),
                   [&](Machine& machine, Lock& lock) { return machine.free_pinned(lock, memory); });
}

const bool registers_coherently = true;

Status pinned_register(void* memory, std::size_t bytes) noexcept {
  return seam_call(DriverCall::pinned_register, CurrentDevice{},
                   [&](Machine& machine, Lock& lock) { return machine.register_pinned(lock, memory, bytes); });
}

Status pinned_unregister(void* memory) noexcept {
  return seam_call(DriverCall::pinned_unregister, static_cast<const void*>(memory),
                   [&](Machine& machine, Lock& lock) { return machine.unregister_pinned(lock, memory); });
}

Status device_allocate(std::size_t bytes, void*& memory) noexcept {
  return seam_call(DriverCall::device_allocate, CurrentDevice{},
                   [&](Machine& machine, Lock&) { return machine.allocate_on_device(bytes, memory); });
}

Status device_free(void* memory) noexcept {
  return seam_call(DriverCall::device_free, static_cast<const void*>(memory),
                   [&](Machine& machine, Lock& lock) { return machine.free_on_device(lock, memory); });
}

// Streams and events.

// All priorities are alike here.
Status stream_create(int, native_stream& stream) noexcept {
  return seam_call(DriverCall::stream_create, CurrentDevice{}, [&](Machine& machine, Lock&) {
    return machine.create_stream(host::StreamRole::non_blocking, stream);
  });
}

Status blocking_stream_create(native_stream& stream) noexcept {
  return seam_call(DriverCall::stream_create, CurrentDevice{},
                   [&](Machine& machine, Lock&) { return machine.create_stream(host::StreamRole::blocking, stream); });
}

Status stream_destroy(native_stream stream) noexcept {
  return seam_call(DriverCall::stream_destroy, stream,
                   [&](Machine& machine, Lock&) { return machine.destroy_stream(stream); });
}

Status stream_synchronize(native_stream stream) noexcept {
  return seam_call(DriverCall::stream_synchronize, stream,
                   [&](Machine& machine, Lock& lock) { return machine.synchronize(lock, stream); });
}

bool same_device(native_stream, native_stream) noexcept { return false; }

Status stream_wait(native_stream stream, native_event event) noexcept {
  return seam_call(DriverCall::stream_wait, stream,
                   [&](Machine& machine, Lock& lock) { return machine.wait_for_event(lock, stream, event); });
}

Status stream_capturing(native_stream stream, bool& capturing) noexcept {
  return seam_call(DriverCall::capture_query, stream, [&](Machine& machine, Lock&) {
    std::shared_ptr<host::Stream> found;
    const Code code = machine.find(stream, found);
    if (code == Code::success) capturing = machine.captures.includes(*found) || machine.captures.implicates(*found);
    return code;
  });
}

Status event_create(native_event& event) noexcept {
  return seam_call(DriverCall::event_create, CurrentDevice{},
                   [&](Machine& machine, Lock&) { return machine.create_event(event); });
}

Status event_destroy(native_event event) noexcept {
  return seam_call(DriverCall::event_destroy, event,
                   [&](Machine& machine, Lock&) { return machine.destroy_event(event); });
}

Status event_record(native_event event, native_stream stream) noexcept {
  return seam_call(DriverCall::event_record, event,
                   [&](Machine& machine, Lock& lock) { return machine.record(lock, event, stream); });
}

Status event_query(native_event event) noexcept {
  return seam_call(DriverCall::event_query, event, [&](Machine& machine, Lock&) { return machine.query(event); });
}

// Copies.

Status copy_to_host(void* destination, const Region& source, native_stream stream) noexcept {
  return seam_call(DriverCall::copy, stream, [&](Machine& machine, Lock& lock) {
    return machine.copy(lock, destination, source, stream, Machine::Target::pinned);
  });
}

Status copy_on_device(void* destination, const Region& source, native_stream stream) noexcept {
  return seam_call(DriverCall::device_copy, stream, [&](Machine& machine, Lock& lock) {
    return machine.copy(lock, destination, source, stream, Machine::Target::device);
  });
}

Status copy_to_device(void* destination, const void* source, std::size_t bytes, native_stream stream) noexcept {
  return seam_call(DriverCall::upload, stream, [&](Machine& machine, Lock& lock) {
    return machine.upload(lock, destination, source, bytes, stream, Machine::Target::pinned);
  });
}

}  // namespace tailrace::inline TAILRACE_ABI::backend
