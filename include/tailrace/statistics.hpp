// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tailrace::inline TAILRACE_ABI {

/// The kinds of driver call that the library makes.
enum class DriverCall : std::uint8_t {
  device_query,    ///< device count or properties, or whether two streams are of one device
  current_device,  ///< get or set the calling thread's device
  pointer_query,   ///< where a pointer points
  pinned_allocate,
  pinned_free,
  pinned_register,    ///< pin memory that is there
  pinned_unregister,  ///< and end that
  device_allocate,
  device_free,
  stream_create,
  stream_destroy,
  stream_wait,  ///< order a stream after an event
  stream_synchronize,
  capture_query,  ///< ask whether a stream is being captured
  capture_mode,   ///< exchange the calling thread's capture mode
  event_create,
  event_destroy,
  event_record,
  event_query,
  copy,         ///< device to host
  device_copy,  ///< device to device
  upload        ///< host to device: only the self-test's
};
inline constexpr std::size_t driver_call_kinds = 22;

/// The enumerator as text, e.g. "event_query".
[[nodiscard]] TAILRACE_EXPORT std::string_view to_string(DriverCall call) noexcept;

/// How often each kind of driver call was made.
struct DriverCalls {
  std::array<std::uint64_t, driver_call_kinds> count{};
  [[nodiscard]] std::uint64_t operator[](DriverCall call) const noexcept {
    return count[static_cast<std::size_t>(call)];
  }
  DriverCalls& operator+=(const DriverCalls& other) noexcept {
    for (std::size_t i = 0; i < driver_call_kinds; ++i) count[i] += other.count[i];
    return *this;
  }
};

/// A snapshot of a ring's counters, or the sum over rings. Counters are read one by one, so that a snapshot taken while
/// other threads work may be off by what they do meanwhile. A counter that reaches its maximum restarts at zero, with
/// one logged warning. At rest: submissions = collected + discarded + errors collected + outstanding.
struct Statistics {
  std::uint64_t submissions = 0;       ///< accepted submissions (tickets given out)
  std::uint64_t stalls = 0;            ///< times that a submission found its slot PENDING
  std::uint64_t refusals = 0;          ///< submissions refused because the slot was not free
  std::uint64_t peak_in_flight = 0;    ///< most copies that were PENDING at once
  std::uint64_t bytes = 0;             ///< bytes of accepted submissions
  std::uint64_t collected = 0;         ///< results collected or visited
  std::uint64_t errors = 0;            ///< tickets that became ERROR
  std::uint64_t errors_collected = 0;  ///< ERROR tickets whose error was collected
  std::uint64_t discarded = 0;         ///< tickets given up with discard()
  std::uint64_t quarantined = 0;       ///< slots that had to wait for proof that their failed copy is over
  std::uint64_t outstanding = 0;       ///< tickets given out and not yet collected or discarded (now)
  std::uint64_t pinned_bytes = 0;      ///< pinned host memory held (now)
  std::uint64_t slab_bytes = 0;        ///< those of pinned_bytes that are slabs, not allocations of the vendor's (now)
  DriverCalls calls;                   ///< driver calls made

  /// Adds up; of the peak, the larger one.
  TAILRACE_EXPORT Statistics& operator+=(const Statistics& other) noexcept;
};

}  // namespace tailrace::inline TAILRACE_ABI
