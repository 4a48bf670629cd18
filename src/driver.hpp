// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/stream.hpp>

#include "backends/adapter.hpp"
#include "src/counters.hpp"
#include "src/process.hpp"

#include <cstddef>
#include <optional>

namespace tailrace::inline TAILRACE_ABI::detail {

using backend::Status;

/// The driver calls of one device, each counted. What it adds to the seam is nothing but the count.
class Driver {
 public:
  /// For use by any thread at any time.
  Driver(int device, RingCounters& counters) noexcept : counters_{&counters}, device_{device} {}
  /// For use by one thread at a time: counts without a locked instruction.
  Driver(int device, RingCounters& counters, BasicCallCounters<Writers::one>& own) noexcept
      : counters_{&counters}, own_{&own}, device_{device} {}

  [[nodiscard]] int device() const noexcept { return device_; }

  Status device_info(DeviceInfo& info) const noexcept {
    return noted(DriverCall::device_query, backend::device_info(device_, info));
  }
  Status get_device(int& device) const noexcept {
    return noted(DriverCall::current_device, backend::get_device(device));
  }
  Status set_device(int device) const noexcept {
    return noted(DriverCall::current_device, backend::set_device(device));
  }
  Status exchange_capture_mode(backend::CaptureMode& mode) const noexcept {
    return noted(DriverCall::capture_mode, backend::exchange_capture_mode(mode));
  }
  Status memory_info(const void* pointer, backend::Memory& memory) const noexcept {
    return noted(DriverCall::pointer_query, backend::memory_info(pointer, memory));
  }
  [[nodiscard]] bool pinned_as_a_whole(const void* pointer, std::size_t bytes) const noexcept {
    return count(DriverCall::pointer_query), backend::pinned_as_a_whole(pointer, bytes);
  }
  Status pinned_allocate(std::size_t bytes, void*& memory) const noexcept {
    return noted(DriverCall::pinned_allocate, backend::pinned_allocate(bytes, memory));
  }
  Status pinned_free(void* memory) const noexcept {
    return noted(DriverCall::pinned_free, backend::pinned_free(memory));
  }
  Status pinned_register(void* memory, std::size_t bytes) const noexcept {
    return noted(DriverCall::pinned_register, backend::pinned_register(memory, bytes));
  }
  Status pinned_unregister(void* memory) const noexcept {
    return noted(DriverCall::pinned_unregister, backend::pinned_unregister(memory));
  }
  Status device_allocate(std::size_t bytes, void*& memory) const noexcept {
    return noted(DriverCall::device_allocate, backend::device_allocate(bytes, memory));
  }
  Status device_free(void* memory) const noexcept {
    return noted(DriverCall::device_free, backend::device_free(memory));
  }
  Status stream_create(int priority, native_stream& stream) const noexcept {
    return noted(DriverCall::stream_create, backend::stream_create(priority, stream));
  }
  Status blocking_stream_create(native_stream& stream) const noexcept {
    return noted(DriverCall::stream_create, backend::blocking_stream_create(stream));
  }
  Status stream_destroy(native_stream stream) const noexcept {
    return noted(DriverCall::stream_destroy, backend::stream_destroy(stream));
  }
  Status stream_synchronize(native_stream stream) const noexcept {
    return noted(DriverCall::stream_synchronize, backend::stream_synchronize(stream));
  }
  Status stream_wait(native_stream stream, native_event event) const noexcept {
    return noted(DriverCall::stream_wait, backend::stream_wait(stream, event));
  }
  [[nodiscard]] bool same_device(native_stream stream, native_stream other) const noexcept {
    return count(DriverCall::device_query), backend::same_device(stream, other);
  }
  Status stream_capturing(native_stream stream, bool& capturing) const noexcept {
    return noted(DriverCall::capture_query, backend::stream_capturing(stream, capturing));
  }
  Status event_create(native_event& event) const noexcept {
    return noted(DriverCall::event_create, backend::event_create(event));
  }
  Status event_destroy(native_event event) const noexcept {
    return noted(DriverCall::event_destroy, backend::event_destroy(event));
  }
  Status event_record(native_event event, native_stream stream) const noexcept {
    return noted(DriverCall::event_record, backend::event_record(event, stream));
  }
  Status event_query(native_event event) const noexcept {
    return noted(DriverCall::event_query, backend::event_query(event));
  }
  Status copy_to_host(void* destination, const backend::Region& source, native_stream stream) const noexcept {
    return noted(DriverCall::copy, backend::copy_to_host(destination, source, stream));
  }
  Status copy_on_device(void* destination, const backend::Region& source, native_stream stream) const noexcept {
    return noted(DriverCall::device_copy, backend::copy_on_device(destination, source, stream));
  }
  Status copy_to_device(void* destination, const void* source, std::size_t bytes, native_stream stream) const noexcept {
    return noted(DriverCall::upload, backend::copy_to_device(destination, source, bytes, stream));
  }

 private:
  void count(DriverCall call) const noexcept {
    const auto kind = static_cast<std::size_t>(call);
    if (own_ != nullptr) return counters_->count((*own_)[kind]);
    counters_->count(counters_->calls[kind]);
  }
  Status noted(DriverCall call, Status status) const noexcept {
    count(call);
    // The vendor's exit handler may run before ours, while another thread still works.
    if (status.outcome == backend::Outcome::unloading) [[unlikely]]
      ProcessGuard::begin_exit();
    return status;
  }

  RingCounters* counters_;
  BasicCallCounters<Writers::one>* own_ = nullptr;
  int device_;
};

/// Lets the calling thread's calls run beside a graph capture on another thread, for the life of the scope.
class CaptureScope {
 public:
  explicit CaptureScope(const Driver& driver) noexcept : driver_{&driver}, mode_{backend::relaxed_capture} {
    exchanged_ = driver.exchange_capture_mode(mode_).ok();
  }
  ~CaptureScope() {
    // Restoring what was there a moment ago: a failure leaves nothing to be done.
    if (exchanged_) static_cast<void>(driver_->exchange_capture_mode(mode_));
  }
  CaptureScope(const CaptureScope&) = delete;
  CaptureScope& operator=(const CaptureScope&) = delete;

 private:
  const Driver* driver_;
  backend::CaptureMode mode_;
  bool exchanged_;
};

/// Makes the driver's device current and the capture mode relaxed, for the life of the scope; the calling thread's
/// device and mode are as before afterwards. Work only if status().ok().
class DeviceScope {
 public:
  explicit DeviceScope(const Driver& driver) noexcept : driver_{&driver}, capture_{driver} {
    status_ = driver_->get_device(before_);
    if (!status_.ok() || before_ == driver_->device()) return;
    status_ = driver_->set_device(driver_->device());
    switched_ = status_.ok();
  }
  ~DeviceScope() {
    if (switched_) static_cast<void>(driver_->set_device(before_));
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  [[nodiscard]] Status status() const noexcept { return status_; }

 private:
  const Driver* driver_;
  CaptureScope capture_;
  Status status_;
  int before_ = -1;
  bool switched_ = false;
};

/// A DeviceScope for events, waits and copies on these streams, where they need one.
class EnqueueScope {
 public:
  EnqueueScope(const Driver& driver, native_stream stream, native_stream other) noexcept {
    if (!backend::handles_stand_alone || special(stream) || special(other)) scope_.emplace(driver);
  }
  [[nodiscard]] Status status() const noexcept { return scope_ ? scope_->status() : Status{}; }

 private:
  static bool special(native_stream stream) noexcept {
    return stream == backend::legacy_stream || stream == backend::per_thread_stream;
  }
  std::optional<DeviceScope> scope_;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
