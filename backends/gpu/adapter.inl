// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// The seam of adapter.hpp, once for both vendors. Include it in one source file after the vendor's policy struct, with
// `Api` naming that struct in namespace backend. It has the vendor's types and constants, and one thin call for each
// thing that the seam does; where the vendors differ, they differ in there.

#include "backends/adapter.hpp"
#include "backends/gpu/copy.hpp"
#include "backends/gpu/pci.hpp"
#include "backends/gpu/status.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <new>
#include <string>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::backend {

namespace {

std::string version_text(typename Api::Result result, int version) {
  return status<Api>(result).ok() && version > 0 ? Api::version_text(version) : "none";
}

/// Lower case, as the kernel writes it: the vendors answer "0000:3B:00.0". Empty if the device is on no PCI bus.
std::string pci_address(int device) {
  char text[32] = "";
  if (!status<Api>(Api::pci_address(text, sizeof text, device)).ok()) return {};
  std::string address{text};
  std::ranges::transform(address, address.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return address;
}

}  // namespace

const char* const wrong_copies_advice = Api::wrong_copies_advice;
const char* error_name(int code) noexcept { return Api::error_name(code); }
const char* error_text(int code) noexcept { return Api::error_text(code); }

std::string runtime_version() {
  int version = 0;
  const auto result = Api::runtime_version(version);
  return version_text(result, version);
}

std::string driver_version() {
  int version = 0;
  const auto result = Api::driver_version(version);
  return version_text(result, version);
}

Status device_count(int& count) noexcept {
  int found = 0;  // without a driver the vendors leave it as it was
  const Status answer = status<Api>(Api::device_count(found));
  if (answer.ok()) count = found;
  if (answer.outcome == Outcome::no_device) count = 0;
  return answer;
}

Status device_info(int device, DeviceInfo& info) noexcept try {
  DeviceInfo found;
  const Status answer = status<Api>(Api::describe(device, found));
  if (!answer.ok()) return answer;
  if (const std::string address = pci_address(device); !address.empty()) describe_pci(address, found);
  info = std::move(found);
  return {};
} catch (...) {  // only memory can run out here
  return {Outcome::out_of_memory, static_cast<int>(Api::out_of_memory)};
}

Status get_device(int& device) noexcept { return status<Api>(Api::get_device(device)); }
Status set_device(int device) noexcept { return status<Api>(Api::set_device(device)); }

const CaptureMode relaxed_capture = Api::relaxed_capture;
Status exchange_capture_mode(CaptureMode& mode) noexcept { return status<Api>(Api::exchange_capture_mode(mode)); }

Status memory_info(const void* pointer, Memory& memory) noexcept {
  Memory found;
  const Status answer = status<Api>(Api::memory_info(pointer, found));
  if (answer.ok()) memory = found;
  return answer;
}

bool pinned_as_a_whole(const void* pointer, std::size_t bytes) noexcept {
  Memory memory;
  if (!memory_info(pointer, memory).ok() || memory.kind != MemoryKind::pinned) return false;
  std::uintptr_t begin = 0;
  std::size_t size = 0;
  if (!Api::address_range(pointer, begin, size)) return false;
  const auto first = reinterpret_cast<std::uintptr_t>(pointer);
  return first >= begin && bytes <= size && first - begin <= size - bytes;
}

Status pinned_allocate(std::size_t bytes, void*& memory) noexcept {
  return status<Api>(Api::pinned_allocate(bytes, memory));
}
Status pinned_free(void* memory) noexcept { return status<Api>(Api::pinned_free(memory)); }
const bool registers_coherently = Api::registers_coherently;
Status pinned_register(void* memory, std::size_t bytes) noexcept {
  return status<Api>(Api::pinned_register(memory, bytes));
}
Status pinned_unregister(void* memory) noexcept { return status<Api>(Api::pinned_unregister(memory)); }
Status device_allocate(std::size_t bytes, void*& memory) noexcept {
  return status<Api>(Api::device_allocate(bytes, memory));
}
Status device_free(void* memory) noexcept { return status<Api>(Api::device_free(memory)); }

// The vendors' handles of the two default streams. A vendor that does not know them translates them in Api::stream().
const native_stream legacy_stream = reinterpret_cast<native_stream>(std::uintptr_t{1});
const native_stream per_thread_stream = reinterpret_cast<native_stream>(std::uintptr_t{2});

const bool handles_stand_alone = Api::handles_stand_alone;

Status stream_create(int priority, native_stream& stream) noexcept {
  int least = 0;
  int greatest = 0;  // priorities are numerically lower the higher they are
  const Status range = status<Api>(Api::stream_priority_range(least, greatest));
  if (!range.ok()) return range;
  return status<Api>(Api::stream_create(std::clamp(priority, greatest, least), stream));
}
Status blocking_stream_create(native_stream& stream) noexcept {
  return status<Api>(Api::blocking_stream_create(stream));
}
Status stream_destroy(native_stream stream) noexcept { return status<Api>(Api::stream_destroy(stream)); }
Status stream_synchronize(native_stream stream) noexcept {
  return status<Api>(Api::stream_synchronize(Api::stream(stream)));
}
Status stream_wait(native_stream stream, native_event event) noexcept {
  return status<Api>(Api::stream_wait(Api::stream(stream), event));
}
bool same_device(native_stream stream, native_stream other) noexcept { return Api::same_device(stream, other); }
Status stream_capturing(native_stream stream, bool& capturing) noexcept {
  bool found = false;
  const auto result = Api::stream_capturing(Api::stream(stream), found);
  const Status answer = status<Api>(result);
  // For the legacy stream there is no answer while a blocking stream captures, but this error, which is one.
  if (result == Api::capture_implicit) {
    capturing = true;
    return {};
  }
  if (answer.ok()) capturing = found;
  return answer;
}

Status event_create(native_event& event) noexcept { return status<Api>(Api::event_create(event)); }
Status event_destroy(native_event event) noexcept { return status<Api>(Api::event_destroy(event)); }
Status event_record(native_event event, native_stream stream) noexcept {
  return status<Api>(Api::event_record(event, Api::stream(stream)));
}
Status event_query(native_event event) noexcept { return status<Api>(Api::event_query(event)); }

Status copy_to_host(void* destination, const Region& source, native_stream stream) noexcept {
  return copy<Api>(destination, source, Api::to_host, Api::stream(stream));
}
Status copy_on_device(void* destination, const Region& source, native_stream stream) noexcept {
  return copy<Api>(destination, source, Api::on_device, Api::stream(stream));
}
Status copy_to_device(void* destination, const void* source, std::size_t bytes, native_stream stream) noexcept {
  return status<Api>(Api::copy_1d(destination, source, bytes, Api::to_device, Api::stream(stream)));
}

}  // namespace tailrace::inline TAILRACE_ABI::backend
