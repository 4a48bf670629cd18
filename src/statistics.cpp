// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/statistics.hpp>

#include <algorithm>

namespace tailrace::inline TAILRACE_ABI {

std::string_view to_string(DriverCall call) noexcept {
  switch (call) {
    case DriverCall::device_query: return "device_query";
    case DriverCall::current_device: return "current_device";
    case DriverCall::pointer_query: return "pointer_query";
    case DriverCall::pinned_allocate: return "pinned_allocate";
    case DriverCall::pinned_free: return "pinned_free";
    case DriverCall::pinned_register: return "pinned_register";
    case DriverCall::pinned_unregister: return "pinned_unregister";
    case DriverCall::device_allocate: return "device_allocate";
    case DriverCall::device_free: return "device_free";
    case DriverCall::stream_create: return "stream_create";
    case DriverCall::stream_destroy: return "stream_destroy";
    case DriverCall::stream_wait: return "stream_wait";
    case DriverCall::stream_synchronize: return "stream_synchronize";
    case DriverCall::capture_query: return "capture_query";
    case DriverCall::capture_mode: return "capture_mode";
    case DriverCall::event_create: return "event_create";
    case DriverCall::event_destroy: return "event_destroy";
    case DriverCall::event_record: return "event_record";
    case DriverCall::event_query: return "event_query";
    case DriverCall::copy: return "copy";
    case DriverCall::device_copy: return "device_copy";
    case DriverCall::upload: return "upload";
  }
  return "?";
}

Statistics& Statistics::operator+=(const Statistics& other) noexcept {
  submissions += other.submissions;
  stalls += other.stalls;
  refusals += other.refusals;
  peak_in_flight = std::max(peak_in_flight, other.peak_in_flight);
  bytes += other.bytes;
  collected += other.collected;
  errors += other.errors;
  errors_collected += other.errors_collected;
  discarded += other.discarded;
  quarantined += other.quarantined;
  outstanding += other.outstanding;
  pinned_bytes += other.pinned_bytes;
  slab_bytes += other.slab_bytes;
  calls += other.calls;
  return *this;
}

}  // namespace tailrace::inline TAILRACE_ABI
