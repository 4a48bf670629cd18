// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// The whole seam between the core and a vendor. One backend is compiled in; it defines every function below. All of
/// them are noexcept, return a Status, work on the calling thread's current device and capture mode, which the core
/// sets (see src/driver.hpp), and obey these rules:
///  - a successful or pending call leaves the runtime's last error as it was; a failing one clears it;
///  - outputs are written only on success (device_count: 0 if there is no device or no driver);
///  - nothing blocks, except allocation, stream_synchronize and the destroy functions.

#include <tailrace/config.hpp>
#include <tailrace/devices.hpp>
#include <tailrace/native.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tailrace::inline TAILRACE_ABI::backend {

/// What a driver call's code means to the core.
enum class Outcome : std::uint8_t {
  success,
  not_ready,      ///< event query only: the work is not over
  failed,         ///< this call failed; the context is usable
  out_of_memory,  ///< as failed
  bad_handle,     ///< as failed: a stream of another device, or one that is gone
  capturing,      ///< as failed: not permitted while a stream captures
  unsupported,    ///< as failed: not in this driver, or not on this device
  unloading,      ///< the vendor's runtime is shutting down: process exit has begun
  no_device,      ///< no device, no such device, or no usable driver
  device_lost     ///< sticky: every later call on this device will fail
};

struct [[nodiscard]] Status {
  Outcome outcome = Outcome::success;
  int code = 0;  ///< the vendor's
  [[nodiscard]] constexpr bool ok() const noexcept { return outcome == Outcome::success; }
  [[nodiscard]] constexpr bool pending() const noexcept { return outcome == Outcome::not_ready; }
  [[nodiscard]] constexpr bool lost() const noexcept { return outcome == Outcome::device_lost; }
  /// Neither success nor "not yet".
  [[nodiscard]] constexpr bool hard() const noexcept { return !ok() && !pending(); }
};

/// What to try where copies arrive wrong on this vendor's devices: the end of a "Fix: ".
extern const char* const wrong_copies_advice;
/// The vendor's name of a code ("cudaErrorIllegalAddress"), and its one-line description.
const char* error_name(int code) noexcept;
const char* error_text(int code) noexcept;
std::string runtime_version();
std::string driver_version();

// Devices. Ordinals are those of the vendor's runtime.
Status device_count(int& count) noexcept;
Status device_info(int device, DeviceInfo& info) noexcept;
Status get_device(int& device) noexcept;
Status set_device(int device) noexcept;
/// Exchanges the calling thread's stream capture mode; `mode` is in and out. `relaxed_capture` is what lets library
/// calls run beside a capture on another thread without harming it.
using CaptureMode = int;
extern const CaptureMode relaxed_capture;
Status exchange_capture_mode(CaptureMode& mode) noexcept;

// Memory.
enum class MemoryKind : std::uint8_t { pageable, pinned, device, managed };
struct Memory {
  MemoryKind kind = MemoryKind::pageable;
  int device = -1;  ///< of device memory
};
Status memory_info(const void* pointer, Memory& memory) noexcept;
/// True if every byte is pinned and belongs to one allocation or registration. False where the driver cannot tell.
bool pinned_as_a_whole(const void* pointer, std::size_t bytes) noexcept;
/// Coherent, cacheable pinned host memory, usable with every device, aligned to 256 bytes at least.
Status pinned_allocate(std::size_t bytes, void*& memory) noexcept;
Status pinned_free(void* memory) noexcept;
/// Pins memory of the caller's, for every device. Whether it then is as coherent as what pinned_allocate() gives is a
/// promise of the vendor's: where registers_coherently is false there is none, and a copy into memory that somebody
/// else pinned is to be waited for with stream_synchronize(), after polling said that it is over.
extern const bool registers_coherently;
Status pinned_register(void* memory, std::size_t bytes) noexcept;
/// Memory whose registration could not be ended may still be written by a device: it must not be unmapped.
Status pinned_unregister(void* memory) noexcept;
Status device_allocate(std::size_t bytes, void*& memory) noexcept;
Status device_free(void* memory) noexcept;

// Streams and events. A stream may also be one of the two special handles below, which name one of the current device.
extern const native_stream legacy_stream;
extern const native_stream per_thread_stream;
/// Whether what is enqueued through all other handles (events, waits, copies) works whatever device is current, and
/// never harms a graph capture on another thread; and whether the same holds for stream_capturing() and memory_info().
extern const bool handles_stand_alone;
/// A stream that does not synchronise with the legacy stream; the priority is clamped to what there is.
Status stream_create(int priority, native_stream& stream) noexcept;
/// A stream that does, as applications have them.
Status blocking_stream_create(native_stream& stream) noexcept;
Status stream_destroy(native_stream stream) noexcept;
Status stream_synchronize(native_stream stream) noexcept;
/// True if both are streams of one device. False also where the vendor cannot tell cheaply.
bool same_device(native_stream stream, native_stream other) noexcept;
/// Orders later work on the stream after the event's last record.
Status stream_wait(native_stream stream, native_event event) noexcept;
/// Whether work put on the stream would go into a graph, or harm a capture: the stream captures, or it is the legacy
/// stream while a blocking stream captures.
Status stream_capturing(native_stream stream, bool& capturing) noexcept;
/// An event without timing whose completion makes earlier copies to pinned memory visible to the host.
Status event_create(native_event& event) noexcept;
Status event_destroy(native_event event) noexcept;
Status event_record(native_event event, native_stream stream) noexcept;
Status event_query(native_event event) noexcept;

// Copies. Rows × slices of a pitched region arrive dense.
struct Region {
  const void* data = nullptr;
  std::size_t width = 0;
  std::size_t height = 1;
  std::size_t depth = 1;
  std::size_t pitch = 0;
  std::size_t slice_pitch = 0;
};
/// Device memory to pinned host memory.
Status copy_to_host(void* destination, const Region& source, native_stream stream) noexcept;
/// Device memory to device memory of the same device.
Status copy_on_device(void* destination, const Region& source, native_stream stream) noexcept;
/// Pinned host memory to device memory. The library sends nothing to a device but what its self-test reads back.
Status copy_to_device(void* destination, const void* source, std::size_t bytes, native_stream stream) noexcept;

}  // namespace tailrace::inline TAILRACE_ABI::backend
