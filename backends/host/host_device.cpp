// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/error.hpp>
#include <tailrace/host_device.hpp>

#include "backends/host/call.hpp"

#include <string>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::host {
namespace {

Errc errc_of(backend::Outcome outcome) noexcept {
  switch (outcome) {
    case backend::Outcome::no_device: return Errc::no_device;
    case backend::Outcome::device_lost: return Errc::device_lost;
    case backend::Outcome::capturing: return Errc::stream_capturing;
    default: return Errc::driver_error;
  }
}

}  // namespace

void check(Code code, const char* operation) {
  if (code == Code::success) return;
  const backend::Status status = status_of(code);
  ErrorDetails details;
  details.operation = operation;
  details.native_code = status.code;
  details.native_name = backend::error_name(status.code);
  throw Error(errc_of(status.outcome), std::string{"the host device refused: "} + backend::error_text(status.code),
              "correct the call's arguments, or the state that the device is in", std::move(details));
}

// Devices.

int device_count() noexcept { return static_cast<int>(Machine::get().scheduler.devices()); }
int current_device() noexcept { return this_thread().device; }

void set_device(int device) {
  check(application_call(ThisThread{}, [&](Machine& machine, Lock&) { return machine.make_current(device); }),
        "set_device");
}

// Memory.

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  check(application_call(CurrentDevice{},
                         [&](Machine& machine, Lock&) { return machine.allocate_on_device(bytes, memory); }),
        "allocate");
  return memory;
}

void* allocate_managed(std::size_t bytes) {
  void* memory = nullptr;
  check(application_call(
            CurrentDevice{},
            [&](Machine& machine, Lock&) { return machine.allocate_on_device(bytes, memory, /* managed */ true); }),
        "allocate_managed");
  return memory;
}

void deallocate(void* memory) noexcept {
  if (!memory) return;
  application_call(static_cast<const void*>(memory),
                   [&](Machine& machine, Lock& lock) { return machine.free_on_device(lock, memory); });
}

void deallocate_async(void* memory, StreamRef stream) {
  if (!memory) return;
  check(application_call(stream.get(), [&](Machine& machine,
                                           Lock& lock) { return machine.free_in_order(lock, memory, stream.get()); }),
        "deallocate_async");
}

void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  check(application_call(CurrentDevice{},
                         [&](Machine& machine, Lock& lock) { return machine.allocate_pinned(lock, bytes, memory); }),
        "allocate_pinned");
  return memory;
}

void deallocate_pinned(void* memory) noexcept {
  if (!memory) return;
  application_call(static_cast<const void*>(memory),
                   [&](Machine& machine, Lock& lock) { return machine.free_pinned(lock, memory); });
}

void register_pinned(void* memory, std::size_t bytes) {
  check(application_call(CurrentDevice{},
                         [&](Machine& machine, Lock& lock) { return machine.register_pinned(lock, memory, bytes); }),
        "register_pinned");
}

void unregister_pinned(void* memory) {
  check(application_call(static_cast<const void*>(memory),
                         [&](Machine& machine, Lock& lock) { return machine.unregister_pinned(lock, memory); }),
        "unregister_pinned");
}

// Streams and work.

native_stream create_stream(StreamKind kind) {
  const StreamRole role = kind == StreamKind::blocking ? StreamRole::blocking : StreamRole::non_blocking;
  native_stream stream = nullptr;
  check(application_call(CurrentDevice{}, [&](Machine& machine, Lock&) { return machine.create_stream(role, stream); }),
        "create_stream");
  return stream;
}

void destroy_stream(native_stream stream) noexcept {
  application_call(stream, [&](Machine& machine, Lock&) { return machine.destroy_stream(stream); });
}

void synchronize(StreamRef stream) {
  check(application_call(stream.get(),
                         [&](Machine& machine, Lock& lock) { return machine.synchronize(lock, stream.get()); }),
        "synchronize");
}

void launch(StreamRef stream, std::function<void()> kernel) {
  check(
      application_call(stream.get(), [&](Machine& machine,
                                         Lock& lock) { return machine.launch(lock, stream.get(), std::move(kernel)); }),
      "launch");
}

void copy_to_host(void* destination, const void* source, std::size_t bytes) {
  const backend::Region region{.data = source, .width = bytes};
  check(application_call(CurrentDevice{},
                         [&](Machine& machine, Lock& lock) { return machine.copy_now(lock, destination, region); }),
        "copy_to_host");
}

void copy_to_device(void* destination, const void* source, std::size_t bytes) {
  check(application_call(
            CurrentDevice{},
            [&](Machine& machine, Lock& lock) { return machine.upload_now(lock, destination, source, bytes); }),
        "copy_to_device");
}

// Graph capture.

void begin_capture(native_stream handle, CaptureMode mode) {
  check(application_call(handle,
                         [&](Machine& machine, Lock&) {
                           std::shared_ptr<Stream> stream;
                           const Code code = machine.find(handle, stream);
                           return code == Code::success ? machine.captures.begin(*stream, mode) : code;
                         }),
        "begin_capture");
}

bool end_capture(native_stream handle) {
  bool unharmed = false;
  check(application_call(handle,
                         [&](Machine& machine, Lock&) {
                           std::shared_ptr<Stream> stream;
                           const Code code = machine.find(handle, stream);
                           return code == Code::success ? machine.captures.end(*stream, unharmed) : code;
                         }),
        "end_capture");
  return unharmed;
}

// The last error.

int get_last_error() noexcept { return std::exchange(this_thread().last_error, 0); }
int peek_last_error() noexcept { return this_thread().last_error; }
void fail_a_call_of_my_own(int code) noexcept { this_thread().last_error = code; }

}  // namespace tailrace::inline TAILRACE_ABI::host
