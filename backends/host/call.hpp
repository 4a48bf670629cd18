// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "backends/host/machine.hpp"

#include <optional>
#include <type_traits>

namespace tailrace::inline TAILRACE_ABI::host {

// What a call is about, if it is not a stream, an event or memory.
struct CurrentDevice {};
/// Only what the thread knows, which outlives a lost device: its current device, its capture mode.
struct ThisThread {};
/// To become the thread's current device, which a lost one may too.
struct Selected {
  int device;
};

/// Runs an operation unless the device that it is about is not there, or lost.
template <class Subject, class Operation>
Code perform(Machine& machine, Lock& lock, int device, Subject, Operation& operation) {
  if (machine.scheduler.devices() == 0) return Code::no_device;
  if (device < 0 || static_cast<std::size_t>(device) >= machine.scheduler.devices()) return Code::invalid_device;
  constexpr bool outlives = std::is_same_v<Subject, ThisThread> || std::is_same_v<Subject, Selected>;
  if (!outlives && machine.scheduler.lost(device)) return Code::illegal_address;
  return operation(machine, lock);
}

template <class Subject>
int subject_device(const Machine& machine, Subject subject) {
  if constexpr (std::is_same_v<Subject, CurrentDevice> || std::is_same_v<Subject, ThisThread>)
    return this_thread().device;
  else if constexpr (std::is_same_v<Subject, Selected>)
    return subject.device;
  else if constexpr (std::is_same_v<Subject, int>)
    return subject;
  else
    return machine.device_of(subject);
}

/// What an injected failure looks like: as the most ordinary failure of that call.
inline Code injected_code(DriverCall kind) noexcept {
  const bool allocates =
      kind == DriverCall::pinned_allocate || kind == DriverCall::pinned_register || kind == DriverCall::device_allocate;
  return allocates ? Code::memory_allocation : Code::injected;
}

/// A call that a test wants to go wrong.
template <class Subject, class Operation>
Code perform_badly(control::Failure failure, DriverCall kind, Machine& machine, Lock& lock, int device, Subject subject,
                   Operation& operation) {
  switch (failure) {
    case control::Failure::once: break;
    case control::Failure::silent: return Code::success;
    case control::Failure::sticky:
      machine.scheduler.lose(device);
      // What a thread asks about itself cannot tell of a device, whose loss then shows in the next call about it.
      if constexpr (std::is_same_v<Subject, ThisThread>) break;
      return Code::illegal_address;
    case control::Failure::wrong_byte: {
      machine.spoil_copy = true;
      const Code code = perform(machine, lock, device, subject, operation);
      machine.spoil_copy = false;
      return code;
    }
  }
  return injected_code(kind);
}

/// A call of the core. Every function of the seam passes here: it is counted, fails if a test wants it to, and leaves
/// no last error behind when it fails, whatever the cause.
template <class Subject, class Operation>
backend::Status seam_call(DriverCall kind, Subject subject, Operation operation) noexcept {
  Code code = Code::memory_allocation;  // whatever is thrown below, it is for want of memory or threads
  try {
    Machine& machine = Machine::get();
    Lock lock{machine.mutex};
    const int device = subject_device(machine, subject);
    ++this_thread().seam_calls;
    const std::optional<control::Failure> failure = machine.faults.count(kind);
    code = failure ? perform_badly(*failure, kind, machine, lock, device, subject, operation)
                   : perform(machine, lock, device, subject, operation);
  } catch (...) {  // NOLINT(bugprone-empty-catch): see code
  }
  const backend::Status status = status_of(code);
  if (status.hard()) this_thread().last_error = 0;
  return status;
}

/// A call of the application: never counted or made to fail. Failing, it sets the last error.
template <class Subject, class Operation>
Code application_call(Subject subject, Operation operation) noexcept {
  Code code = Code::memory_allocation;
  try {
    Machine& machine = Machine::get();
    Lock lock{machine.mutex};
    code = perform(machine, lock, subject_device(machine, subject), subject, operation);
  } catch (...) {  // NOLINT(bugprone-empty-catch): see code
  }
  if (code != Code::success) this_thread().last_error = static_cast<int>(code);
  return code;
}

/// @throws Error if the code is not success
void check(Code code, const char* operation);

}  // namespace tailrace::inline TAILRACE_ABI::host
