// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "backends/host/stream.hpp"

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace tailrace::inline TAILRACE_ABI::host {

using Lock = std::unique_lock<std::mutex>;

/// Runs the work of all streams of all devices, each stream on a thread of its own, in the order that streams, events
/// and the legacy default stream demand. Every order is one relation: a task starts when it is the first of its stream
/// and all marks in Task::after are done.
///
/// The life of a task:
///  1. enqueue() adds the marks of the implicit orders and puts the task at the end of its stream.
///  2. When it may start, the stream's thread runs its body without the mutex. A task without a body, whose stream is
///     idle, is over at once, on the enqueuing thread.
///  3. Its mark is done, and streams that wait for the mark are woken if that lets them start.
/// If the device is lost between 1 and 3 the body does not run, and the mark stays open for ever.
///
/// Every member is called with the machine's mutex held.
class Scheduler {
 public:
  Scheduler(std::mutex& mutex, std::size_t devices) : mutex_{mutex}, devices_(devices) {}

  [[nodiscard]] std::size_t devices() const noexcept { return devices_.size(); }
  /// @throws std::system_error if there is no thread for it
  std::shared_ptr<Stream> start(int device, StreamRole role);
  /// Ends the stream when its work is done.
  static void close(Stream& stream);
  /// The device's legacy default stream.
  std::shared_ptr<Stream> legacy(int device);

  void enqueue(Lock& lock, const std::shared_ptr<Stream>& stream, Task task);
  /// Enqueues nothing but an order, and returns its mark.
  std::shared_ptr<Mark> enqueue_mark(Lock& lock, const std::shared_ptr<Stream>& stream,
                                     std::vector<std::shared_ptr<Mark>> after = {});
  /// Makes a mark done that no task will.
  void complete(Mark& mark);
  /// Blocks the calling thread until the predicate holds; it is asked again after every task.
  template <class Predicate>
  void wait_until(Lock& lock, Predicate predicate) {
    ++sleepers_;
    settled_.wait(lock, predicate);
    --sleepers_;
  }
  /// Blocks until the mark is done. @returns false if the device was lost instead
  [[nodiscard]] bool wait(Lock& lock, int device, const Mark& mark);
  /// Has wait_until() ask again.
  void wake_sleepers() noexcept {
    if (sleepers_ != 0) settled_.notify_all();
  }

  /// No stream is doing anything, or could.
  [[nodiscard]] bool settled() const;

  void lose(int device);
  void revive() noexcept;
  [[nodiscard]] bool lost(int device) const { return state(device).lost; }

  /// Copies that could start at once are over when enqueue() returns.
  bool complete_copies_at_enqueue = false;

 private:
  struct DeviceState {
    bool lost = false;
    unsigned losses = 0;  // so far: tasks enqueued before the last one are void, also after a revival
    std::shared_ptr<Stream> legacy;
    std::vector<std::shared_ptr<Stream>> streams;  // all that have a thread, closing ones too
  };

  [[nodiscard]] const DeviceState& state(int device) const { return devices_[static_cast<std::size_t>(device)]; }
  [[nodiscard]] DeviceState& state(int device) { return devices_[static_cast<std::size_t>(device)]; }
  [[nodiscard]] bool is_void(const Stream& stream, const Task& task) const;
  [[nodiscard]] bool can_start(const Stream& stream) const;
  void add_implicit_order(const Stream& stream, Task& task) const;
  void wake_if_needed(Stream& stream) const;
  void run(Lock& lock, Stream& stream, Task& task);
  void serve(const std::shared_ptr<Stream>& stream);

  std::mutex& mutex_;
  std::vector<DeviceState> devices_;
  std::condition_variable settled_;
  unsigned sleepers_ = 0;  // nobody sleeping is the common case: no call for it then
};

}  // namespace tailrace::inline TAILRACE_ABI::host
