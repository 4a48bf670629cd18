// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/device_fault.hpp"

#include "src/driver_error.hpp"

#include <exception>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

void DeviceFault::set(backend::Status status, const char* call) noexcept {
  const std::lock_guard lock{mutex_};
  if (lost()) return;
  status_ = status;
  call_ = call;
  lost_.store(true, std::memory_order_release);
}

void DeviceFault::check(backend::Status status, const char* call, ErrorDetails details) {
  if (status.ok()) return;
  if (!status.lost()) throw driver_error(status, call, std::move(details));
  set(status, call);
  throw error(std::move(details));
}

Error DeviceFault::error(ErrorDetails details) const { return driver_error(status_, call_, std::move(details)); }

void DeviceFault::report(const Logger& logger, const std::string& where) noexcept {
  if (!lost() || reported_.exchange(true)) return;
  try {
    logger.error(error({.operation = "device lost", .ring = where}).what());
  } catch (const std::exception&) {
    logger.error("device lost");  // no memory for the whole text
  }
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
