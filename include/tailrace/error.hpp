// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace tailrace::inline TAILRACE_ABI {

/// Every kind of failure that the library reports. The enumerators are values of @ref error_category().
enum class Errc : int {
  // What the caller passed in. Refused before any device call; nothing was consumed.
  invalid_argument = 1,  ///< an argument that no other code describes better
  null_source,           ///< a null device pointer with a non-zero size
  region_overflow,       ///< offset, pitch and length do not fit in the address space
  exceeds_slot,          ///< the region is larger than a slot of this ring
  null_stream,           ///< a null stream handle: it means different streams to differently built programs
  wrong_device,          ///< the producer stream or the source belongs to another device than the ring
  wrong_memory,          ///< the source is not device memory, or a slot is not pinned host memory
  stream_capturing,      ///< the stream is being captured into a graph (or legacy while a blocking stream is)
  buffer_too_small,      ///< the destination is smaller than the readback
  size_mismatch,         ///< the readback is not a whole number of elements of the requested type

  // The next slot of the ring is not FREE. Nothing was consumed.
  slot_pending,      ///< its copy is still in flight
  slot_ready,        ///< it holds an uncollected completed readback
  slot_error,        ///< it holds a failed readback that nobody collected
  slot_reading,      ///< a visitor or collector is reading it
  slot_discarded,    ///< its readback was discarded and the copy is still in flight
  slot_quarantined,  ///< its readback failed and nothing has proven yet that the copy is over
  slot_unarmed,      ///< it was recorded and not armed yet
  slot_promised,     ///< it is free, but callers of submit_for() came first

  // Tickets.
  stale_ticket,   ///< used already, its slot moved on, of another ring, of an evicted ring, or default-made
  not_armed,      ///< recorded with record() and not armed yet
  already_armed,  ///< armed before, or not made by record()
  copy_failed,    ///< the copy was not proven complete; its bytes cannot be read

  // Life cycle.
  timed_out,  ///< a bounded wait reached its deadline; nothing changed
  closed,     ///< the object was closed, is being destroyed or was moved from
  forked,     ///< used in a forked child of the process that made it
  exiting,    ///< used after process exit had begun

  // Device and memory.
  no_device,             ///< there is no such device, or no usable driver
  device_lost,           ///< a sticky error: the device context is unusable until the process ends
  driver_error,          ///< a driver call failed; the context is usable
  out_of_pinned_memory,  ///< pinned host memory could not be allocated
  budget_exceeded,       ///< the pinned budget of the ring set, or the snapshot limit, is used up
  self_test_failed,      ///< the self-test read a byte that is not the one that was written

  // Tags.
  tag_in_flight,  ///< the tag is in use already
  unknown_tag,    ///< nothing was started under this tag, or it was waited for already
  own_tag,        ///< a task waits for its own tag
  job_dropped,    ///< the job had not started when its owner was closed

  unsupported  ///< this backend cannot do it
};

/// The category of @ref Errc; its name is "tailrace". Safe from any thread.
[[nodiscard]] TAILRACE_EXPORT const std::error_category& error_category() noexcept;

/// Found by argument-dependent lookup, which makes @ref Errc usable as a `std::error_code`.
[[nodiscard]] TAILRACE_EXPORT std::error_code make_error_code(Errc code) noexcept;

/// Where a failure happened. Fields that do not apply are empty.
struct ErrorDetails {
  std::string operation{};                  ///< the call that failed, e.g. "submit" or "event_query"
  std::string ring{};                       ///< name of the ring
  std::optional<unsigned> slot{};           ///< slot index in the ring
  std::optional<std::uint64_t> sequence{};  ///< sequence number of the submission
  int native_code = 0;                      ///< the vendor's error code, 0 if none
  std::string native_name{};                ///< the vendor's name of that code
};

/// The exception of the library. Its text says what happened and where, and ends with "Fix: ...".
/// Copying never throws. Safe to share between threads, since it is immutable.
class TAILRACE_EXPORT Error : public std::system_error {
 public:
  /// @param code  the kind of failure
  /// @param what  what happened, one sentence without the final stop
  /// @param fix   what to do about it, one sentence
  Error(Errc code, const std::string& what, const std::string& fix, ErrorDetails details = {});
  ~Error() override;
  Error(const Error&) noexcept = default;
  Error& operator=(const Error&) noexcept = default;

  /// The whole message: what, where, the native error and the fix.
  [[nodiscard]] const char* what() const noexcept override;
  /// The kind of failure as an enumerator (`code()` has it as a `std::error_code`).
  [[nodiscard]] Errc errc() const noexcept { return static_cast<Errc>(code().value()); }
  /// Where it happened.
  [[nodiscard]] const ErrorDetails& details() const noexcept;
  /// The vendor's error code; 0 if no driver call failed.
  [[nodiscard]] int native_code() const noexcept { return details().native_code; }
  /// The vendor's name of @ref native_code(); empty if no driver call failed.
  [[nodiscard]] const std::string& native_name() const noexcept { return details().native_name; }
  /// How many leading bytes of the destination are good; only for a large read that failed part-way.
  [[nodiscard]] std::optional<std::uint64_t> good_bytes() const noexcept;
  /// Returns the same error with @ref good_bytes() set and named in the text.
  [[nodiscard]] Error with_good_bytes(std::uint64_t bytes) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
  Error(Errc code, std::shared_ptr<const State> state);
};

}  // namespace tailrace::inline TAILRACE_ABI

template <>
struct std::is_error_code_enum<tailrace::Errc> : std::true_type {};
