// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "backends/host/host_error.hpp"

#include <array>

namespace tailrace::inline TAILRACE_ABI::host {
namespace {

using backend::Outcome;

struct Entry {
  Code code;
  Outcome outcome;
  const char* name;
  const char* text;
};

constexpr std::array table{
    Entry{Code::success, Outcome::success, "hostSuccess", "no error"},
    Entry{Code::not_ready, Outcome::not_ready, "hostErrorNotReady", "the work is not over"},
    Entry{Code::invalid_value, Outcome::failed, "hostErrorInvalidValue", "invalid argument"},
    Entry{Code::invalid_pitch_value, Outcome::failed, "hostErrorInvalidPitchValue", "invalid pitch"},
    Entry{Code::memory_allocation, Outcome::out_of_memory, "hostErrorMemoryAllocation", "out of memory"},
    Entry{Code::host_memory_already_registered, Outcome::failed, "hostErrorHostMemoryAlreadyRegistered",
          "part of the memory is pinned already"},
    Entry{Code::host_memory_not_registered, Outcome::failed, "hostErrorHostMemoryNotRegistered",
          "the memory was not registered as pinned"},
    Entry{Code::invalid_resource_handle, Outcome::bad_handle, "hostErrorInvalidResourceHandle",
          "no such stream or event, or one of another device"},
    Entry{Code::no_device, Outcome::no_device, "hostErrorNoDevice", "there is no device"},
    Entry{Code::invalid_device, Outcome::no_device, "hostErrorInvalidDevice", "there is no device of this number"},
    Entry{Code::illegal_address, Outcome::device_lost, "hostErrorIllegalAddress",
          "the device met an illegal address and is lost"},
    Entry{Code::stream_capture_unsupported, Outcome::capturing, "hostErrorStreamCaptureUnsupported",
          "not permitted while a stream is capturing"},
    Entry{Code::stream_capture_implicit, Outcome::capturing, "hostErrorStreamCaptureImplicit",
          "the legacy stream was used while a blocking stream is capturing"},
    Entry{Code::stream_capture_isolation, Outcome::capturing, "hostErrorStreamCaptureIsolation",
          "the event belongs to a capture"},
    Entry{Code::stream_capture_wrong_thread, Outcome::capturing, "hostErrorStreamCaptureWrongThread",
          "the capture was begun by another thread"},
    Entry{Code::captured_event, Outcome::capturing, "hostErrorCapturedEvent",
          "the event was last recorded in a capturing stream"},
    Entry{Code::injected, Outcome::failed, "hostErrorInjected", "failed because a test asked for it"},
};

const Entry* find(int code) noexcept {
  for (const Entry& entry : table)
    if (static_cast<int>(entry.code) == code) return &entry;
  return nullptr;
}

}  // namespace

backend::Status status_of(Code code) noexcept {
  const Entry* entry = find(static_cast<int>(code));
  return {entry ? entry->outcome : Outcome::failed, static_cast<int>(code)};
}

}  // namespace tailrace::inline TAILRACE_ABI::host

namespace tailrace::inline TAILRACE_ABI::backend {

const char* error_name(int code) noexcept {
  const host::Entry* entry = host::find(code);
  return entry ? entry->name : "hostErrorUnknown";
}

const char* error_text(int code) noexcept {
  const host::Entry* entry = host::find(code);
  return entry ? entry->text : "unrecognised error code";
}

}  // namespace tailrace::inline TAILRACE_ABI::backend
