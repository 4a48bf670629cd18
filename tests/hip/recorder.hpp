// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// A HIP runtime without a device, linked in place of AMD's under the objects that ship: it writes down each call with
/// what was passed, and answers as it is told. It has the functions that the library may call and no other, so that a
/// call that must not be made (a host function, a callback, a batch of copies) does not link. Copies are done at once;
/// an event query says "not ready" as often as it is told to.

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace recorder {

struct Call {
  std::string name;
  int device = 0;                  ///< current in the calling thread
  unsigned flags = 0;              ///< of allocations, registrations, events and streams
  std::size_t bytes = 0;           ///< of allocations, registrations and plain copies
  const void* object = nullptr;    ///< the event; for copies the destination
  hipStream_t stream = nullptr;    ///< as it was passed
  hipStreamCaptureMode mode = {};  ///< of the calling thread
};

/// Which error a thread's "last error" is.
enum class LastError {
  of_the_last_call,     ///< HIP before 7: also "success" and "not ready"
  of_the_last_failure,  ///< HIP 7: neither of the two
};

/// What memory of nobody's is said to be.
enum class Unregistered {
  is_an_error,  ///< HIP 5
  is_a_kind,    ///< HIP 6
};

/// How the runtime behaves. Reset by reset().
struct Behaviour {
  LastError last_error = LastError::of_the_last_call;
  Unregistered unregistered = Unregistered::is_an_error;
  hipError_t device_count = hipSuccess;  ///< a failure leaves the caller's number as it was
  int integrated = 0;
  unsigned queries_not_ready = 0;  ///< so many event queries from now on
  /// What a failing call leaves as the last error, if not what it returned: as HIP 5.2 does where there is no device.
  hipError_t noted_instead = hipSuccess;
  std::string failing;              ///< the function that fails, once,
  hipError_t failure = hipSuccess;  ///< with this code
};

/// Forgets calls and memory, and all is well: two devices, device 0 current, no last error. For a single thread.
void reset();
[[nodiscard]] Behaviour& behaviour();
/// The calls so far, of this name or all of them.
[[nodiscard]] std::vector<Call> calls(std::string_view name = {});
void forget_calls();

/// Memory for a test to read from, known to the runtime as managed; ends with reset().
[[nodiscard]] void* managed(std::size_t bytes);

}  // namespace recorder
