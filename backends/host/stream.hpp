// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/native.hpp>

#include "backends/host/memory.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

// What the scheduler schedules. All of it is guarded by the machine's mutex.
namespace tailrace::inline TAILRACE_ABI::host {

/// A point in a stream that can be waited for. It goes from open to done once, or stays open for ever if the device was
/// lost before its work was done.
struct Mark {
  bool done = false;
  std::vector<std::weak_ptr<Stream>> waiters;  ///< streams with a task that may start when it is done
};

/// One piece of work of a stream.
struct Task {
  std::function<void()> body;  ///< runs without the mutex; empty for work that is only an order
  bool copy = false;           ///< see Scheduler::complete_copies_at_enqueue
  std::vector<std::shared_ptr<Mark>> after;
  std::vector<std::shared_ptr<Allocation>> touches;
  std::shared_ptr<Mark> mark = std::make_shared<Mark>();  ///< done when the body has returned
  unsigned losses = 0;                                    ///< of the device, when it was enqueued
};

enum class StreamRole : std::uint8_t { legacy, blocking, non_blocking };

struct Stream : std::enable_shared_from_this<Stream> {
  Stream(int on_device, StreamRole as) : device{on_device}, role{as} {}

  const int device;
  const StreamRole role;
  std::deque<Task> queue;
  bool busy = false;                ///< a task of it is running
  bool closing = false;             ///< its thread ends when the queue is empty
  std::shared_ptr<Mark> tail;       ///< of the task enqueued last; may be null
  std::condition_variable changed;  ///< only its thread waits for this
};

struct Event {
  int device = 0;
  std::shared_ptr<Mark> mark;  ///< null: never recorded, which counts as done
  bool captured = false;       ///< last recorded in a capturing stream
};

}  // namespace tailrace::inline TAILRACE_ABI::host
