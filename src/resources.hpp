// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "src/driver.hpp"

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace tailrace::inline TAILRACE_ABI::detail {

/// Owns an event. Destroying it on a lost device fails, which is no harm: the context owns it.
class UniqueEvent {
 public:
  UniqueEvent() noexcept = default;
  static Status create(const Driver& driver, UniqueEvent& out) noexcept {
    native_event event = nullptr;
    const Status status = driver.event_create(event);
    if (status.ok()) out = UniqueEvent{driver, event};
    return status;
  }
  UniqueEvent(UniqueEvent&& other) noexcept : driver_{other.driver_}, event_{std::exchange(other.event_, nullptr)} {}
  UniqueEvent& operator=(UniqueEvent&& other) noexcept {
    std::swap(driver_, other.driver_);
    std::swap(event_, other.event_);
    return *this;
  }
  UniqueEvent(const UniqueEvent&) = delete;
  UniqueEvent& operator=(const UniqueEvent&) = delete;
  ~UniqueEvent() {
    if (event_ != nullptr) static_cast<void>(driver_->event_destroy(event_));
  }
  [[nodiscard]] native_event get() const noexcept { return event_; }

 private:
  UniqueEvent(const Driver& driver, native_event event) noexcept : driver_{&driver}, event_{event} {}
  const Driver* driver_ = nullptr;
  native_event event_ = nullptr;
};

/// Owns a stream, or names one of the caller's.
class CopyStream {
 public:
  CopyStream() noexcept = default;
  explicit CopyStream(native_stream external) noexcept : stream_{external} {}
  static Status create(const Driver& driver, int priority, CopyStream& out) noexcept {
    const Status status = driver.stream_create(priority, out.stream_);
    if (status.ok()) out.driver_ = &driver;
    return status;
  }
  /// One that synchronises with the legacy stream.
  static Status create_blocking(const Driver& driver, CopyStream& out) noexcept {
    const Status status = driver.blocking_stream_create(out.stream_);
    if (status.ok()) out.driver_ = &driver;
    return status;
  }
  CopyStream(const CopyStream&) = delete;
  CopyStream& operator=(const CopyStream&) = delete;
  CopyStream& operator=(CopyStream&& other) noexcept {
    std::swap(driver_, other.driver_);
    std::swap(stream_, other.stream_);
    return *this;
  }
  CopyStream(CopyStream&& other) noexcept { *this = std::move(other); }
  ~CopyStream() {
    if (driver_ != nullptr) static_cast<void>(driver_->stream_destroy(stream_));
  }
  [[nodiscard]] native_stream get() const noexcept { return stream_; }

 private:
  const Driver* driver_ = nullptr;  // null: not ours
  native_stream stream_ = nullptr;
};

/// Events that are used for a while and come back, so that none is created once there are enough. Safe from any thread.
class EventPool {
 public:
  explicit EventPool(const Driver& driver) noexcept : driver_{driver} {}

  Status take(UniqueEvent& out) {
    {
      const std::lock_guard lock{mutex_};
      spare_.reserve(taken_ + 1);  // so that put_back() cannot fail
      ++taken_;
      if (!spare_.empty()) {
        out = std::move(spare_.back());
        spare_.pop_back();
        return {};
      }
    }
    return UniqueEvent::create(driver_, out);
  }
  void put_back(UniqueEvent event) noexcept {
    const std::lock_guard lock{mutex_};
    --taken_;
    if (event.get() != nullptr && spare_.size() < spare_.capacity()) spare_.push_back(std::move(event));
  }

  /// Destroys those that are not taken; the driver's device is current.
  void clear() noexcept {
    const std::lock_guard lock{mutex_};
    spare_.clear();
  }

 private:
  const Driver& driver_;
  std::mutex mutex_;
  std::size_t taken_ = 0;
  std::vector<UniqueEvent> spare_;
};

/// An event of a pool's, for the life of the object.
class PooledEvent {
 public:
  explicit PooledEvent(EventPool& pool) : pool_{pool}, status_{pool.take(event_)} {}
  ~PooledEvent() { pool_.put_back(std::move(event_)); }
  PooledEvent(const PooledEvent&) = delete;
  PooledEvent& operator=(const PooledEvent&) = delete;
  /// Use the event only if this is success.
  [[nodiscard]] Status status() const noexcept { return status_; }
  [[nodiscard]] native_event get() const noexcept { return event_.get(); }

 private:
  EventPool& pool_;
  UniqueEvent event_;
  Status status_;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
