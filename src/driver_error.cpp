// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/driver_error.hpp"

#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

struct Meaning {
  Errc code;
  const char* fix;
};

Meaning meaning(backend::Outcome outcome) {
  switch (outcome) {
    case backend::Outcome::out_of_memory: return {Errc::driver_error, "free device memory, or ask for less"};
    case backend::Outcome::bad_handle:
      return {Errc::wrong_device, "pass a live stream of the device that the ring was made for"};
    case backend::Outcome::capturing:
      return {Errc::stream_capturing, "end the graph capture first, or capture in thread-local or relaxed mode"};
    case backend::Outcome::unsupported: return {Errc::unsupported, "use a newer driver or another device"};
    case backend::Outcome::unloading: return {Errc::exiting, "finish the work before main returns or exit is called"};
    case backend::Outcome::no_device:
      return {Errc::no_device, "check that the driver is loaded and that the device is visible to this process"};
    case backend::Outcome::device_lost:
      return {Errc::device_lost,
              "find the kernel or copy that failed (run the program under the vendor's memory checker); the device "
              "cannot be used by this process any more"};
    case backend::Outcome::success:
    case backend::Outcome::not_ready:
    case backend::Outcome::failed: break;
  }
  return {Errc::driver_error, "look the native code up in the vendor's documentation of the call"};
}

}  // namespace

Error driver_error(backend::Status status, const std::string& call, ErrorDetails details) {
  const Meaning what = meaning(status.outcome);
  details.native_code = status.code;
  details.native_name = backend::error_name(status.code);
  return {what.code, "driver call " + call + " failed: " + backend::error_text(status.code), what.fix,
          std::move(details)};
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
