// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/devices.hpp>
#include <tailrace/error.hpp>

#include "backends/adapter.hpp"
#include "src/driver_error.hpp"

namespace tailrace::inline TAILRACE_ABI {

Device::Device(int ordinal) : ordinal_{ordinal} {
  int present = 0;
  const backend::Status status = backend::device_count(present);
  if (ordinal >= 0 && ordinal < present) return;
  ErrorDetails details{.operation = "Device"};
  if (present == 0) {
    details.native_code = status.code;
    if (status.code != 0) details.native_name = backend::error_name(status.code);
    throw Error{Errc::no_device, "there is no usable " TAILRACE_BACKEND_NAME " device",
                "check that the driver is loaded and that the device is visible to this process", details};
  }
  throw Error{Errc::no_device,
              "there is no device " + std::to_string(ordinal) + "; there are " + std::to_string(present),
              "pass an ordinal from 0 on, below Device::count()", details};
}

DeviceInfo Device::info() const {
  DeviceInfo info;
  const backend::Status status = backend::device_info(ordinal_, info);
  if (!status.ok()) throw detail::driver_error(status, "device_query", {.operation = "Device::info"});
  return info;
}

int Device::count() noexcept {
  int present = 0;
  return backend::device_count(present).ok() ? present : 0;
}

Device Device::current() {
  int ordinal = 0;
  const backend::Status status = backend::get_device(ordinal);
  if (!status.ok()) throw detail::driver_error(status, "current_device", {.operation = "Device::current"});
  return Device{ordinal};
}

std::string_view backend_name() noexcept { return TAILRACE_BACKEND_NAME; }
std::string runtime_version() { return backend::runtime_version(); }
std::string driver_version() { return backend::driver_version(); }
std::string_view version() noexcept { return TAILRACE_VERSION_STRING; }

}  // namespace tailrace::inline TAILRACE_ABI
