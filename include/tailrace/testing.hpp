// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// Controls for tests of the library and of programs that use it. The first group works with every backend, the second
/// only with the host backend (`TAILRACE_BACKEND_HOST` is defined), whose device does as it is told. Not for production
/// code: everything here acts on the whole process. The namespace is not called testing, so that it does not collide
/// with GoogleTest's in a program that is using namespace tailrace.

#include <tailrace/config.hpp>
#include <tailrace/statistics.hpp>
#include <tailrace/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tailrace::inline TAILRACE_ABI::control {

/// Rings made from now on give their first submission this sequence number. Default 0.
TAILRACE_EXPORT void start_sequences_at(std::uint64_t sequence) noexcept;
/// Statistics counters of objects made from now on start at this value. Default 0.
TAILRACE_EXPORT void start_counters_at(std::uint64_t value) noexcept;

#ifdef TAILRACE_BACKEND_HOST

/// Holds a stream: work enqueued after the construction does not start until release() or the destructor.
/// Movable by nobody; lives in one scope.
class TAILRACE_EXPORT StreamHold {
 public:
  explicit StreamHold(StreamRef stream);
  ~StreamHold();
  StreamHold(const StreamHold&) = delete;
  StreamHold& operator=(const StreamHold&) = delete;
  void release() noexcept;

 private:
  std::shared_ptr<void> gate_;
};

/// How an injected failure behaves.
enum class Failure : std::uint8_t {
  once,    ///< the call fails and does nothing; the device is well
  sticky,  ///< the call fails, and so does every later call for that device, as after an illegal address
  // What a device does that is broken, for what looks at the bytes.
  silent,     ///< the call succeeds and does nothing: of calls that answer with nothing but success
  wrong_byte  ///< the call succeeds, but of a copy's bytes the middle one (number size / 2) arrives inverted
};

/// The @p k-th call of the kind from now on (1 is the next one), by any thread, fails. Several may be set. Calls are
/// those that the library makes; a program's own calls of <tailrace/host_device.hpp> are neither counted nor made to
/// fail.
TAILRACE_EXPORT void fail_call(DriverCall kind, std::uint64_t k, Failure failure = Failure::once);
/// Every call of the kind fails, without harm to the device, until clear_failures().
TAILRACE_EXPORT void fail_calls(DriverCall kind);
/// Whose calls are counted, as seen by the thread that asks. What a thread calls depends on nobody else's speed, so
/// that a number names the same call in every run of a program.
enum class CallsOf : std::uint8_t { all_threads, this_thread, other_threads };
/// The @p k-th call from now on, of whatever kind, fails.
TAILRACE_EXPORT void fail_any_call(std::uint64_t k, Failure failure = Failure::once,
                                   CallsOf whose = CallsOf::all_threads);
/// Forgets failures that have not happened yet, and those that have; a device that is lost stays lost.
TAILRACE_EXPORT void clear_failures() noexcept;
/// Makes lost devices well again. Objects of the library that noticed the loss do not recover.
TAILRACE_EXPORT void revive_devices() noexcept;
/// Loses the device as a kernel that faults would: work on it is dropped, and every later call about it fails. Only
/// what a thread itself knows is not concerned: how many devices there are, its current device and its capture mode.
TAILRACE_EXPORT void lose_device(int device) noexcept;

/// Calls of the kind made so far in the process.
[[nodiscard]] TAILRACE_EXPORT std::uint64_t calls(DriverCall kind) noexcept;
/// Calls of all kinds made so far.
[[nodiscard]] TAILRACE_EXPORT std::uint64_t calls(CallsOf whose = CallsOf::all_threads) noexcept;
/// The kinds of the calls that were made to fail since clear_failures(), in order; those that fail only because the
/// device is lost are not among them.
[[nodiscard]] TAILRACE_EXPORT std::vector<DriverCall> failed_calls();

/// Copies complete before the enqueueing call returns, if nothing is before them on their stream.
TAILRACE_EXPORT void complete_copies_at_enqueue(bool on) noexcept;
/// Blocks until every stream has done what it can: what is left is held, or waits for what is.
TAILRACE_EXPORT void settle_streams() noexcept;

/// Every pinned allocation, and registration of memory as pinned, blocks until release() or the destructor.
class TAILRACE_EXPORT PinnedAllocationHold {
 public:
  PinnedAllocationHold();
  ~PinnedAllocationHold();
  PinnedAllocationHold(const PinnedAllocationHold&) = delete;
  PinnedAllocationHold& operator=(const PinnedAllocationHold&) = delete;
  void release() noexcept;
  /// Blocks until a thread has arrived in one of these.
  void wait_until_blocked() const;

 private:
  bool released_ = false;
};

/// Live resources of the host backend in the process.
struct Resources {
  std::size_t pinned_bytes = 0;
  std::size_t pinned_allocations = 0;
  std::size_t device_bytes = 0;
  std::size_t streams = 0;
  std::size_t events = 0;
};
[[nodiscard]] TAILRACE_EXPORT Resources resources() noexcept;
/// Pinned allocations and registrations fail when more than @p bytes bytes would be live. Default: no limit.
TAILRACE_EXPORT void limit_pinned_bytes(std::size_t bytes) noexcept;

#endif

}  // namespace tailrace::inline TAILRACE_ABI::control
