// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/error.hpp>

#include "backends/adapter.hpp"
#include "src/logger.hpp"
#include "src/sync.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace tailrace::inline TAILRACE_ABI::detail {

/// The first sticky error of a device, shared by all objects that belong together, so that it is told once and every
/// later submission is refused with this first cause.
class DeviceFault {
 public:
  [[nodiscard]] bool lost() const noexcept { return lost_.load(std::memory_order_acquire); }

  /// Notes a sticky error; only the first one counts.
  void set(backend::Status status, const char* call) noexcept;
  /// Throws if the status is not success: the first cause if the device is lost.
  /// @throws Error as driver_error()
  void check(backend::Status status, const char* call, ErrorDetails details);
  /// The first cause as an exception for the given place. Only if lost().
  [[nodiscard]] Error error(ErrorDetails details) const;
  [[nodiscard]] backend::Status status() const noexcept { return status_; }
  /// Logs the first cause, once. Call it without a lock.
  void report(const Logger& logger, const std::string& where) noexcept;

 private:
  Mutex mutex_;  // of writers
  Atomic<bool> lost_{false};
  std::atomic<bool> reported_{false};
  backend::Status status_;  // constant once lost_
  const char* call_ = "";   // constant once lost_
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
