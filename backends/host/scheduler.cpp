// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "backends/host/scheduler.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::host {

std::shared_ptr<Stream> Scheduler::start(int device, StreamRole role) {
  auto stream = std::make_shared<Stream>(device, role);
  auto& streams = state(device).streams;
  streams.reserve(streams.size() + 1);
  // Detached: it must not keep the process from exiting, and what it uses is never destroyed.
  std::thread{[this, stream] { serve(stream); }}.detach();
  streams.push_back(stream);
  return stream;
}

void Scheduler::close(Stream& stream) {
  stream.closing = true;
  stream.changed.notify_one();
}

std::shared_ptr<Stream> Scheduler::legacy(int device) {
  auto& legacy = state(device).legacy;
  if (!legacy) legacy = start(device, StreamRole::legacy);
  return legacy;
}

void Scheduler::enqueue(Lock& lock, const std::shared_ptr<Stream>& stream, Task task) {
  add_implicit_order(*stream, task);
  std::erase_if(task.after, [](const auto& mark) { return mark->done; });
  for (const auto& mark : task.after) mark->waiters.push_back(stream);
  task.losses = state(stream->device).losses;
  const auto count_use = [&task] { std::ranges::for_each(task.touches, [](auto& entry) { ++entry->uses; }); };

  const bool short_cut = !task.body || (task.copy && complete_copies_at_enqueue);
  if (short_cut && task.after.empty() && stream->queue.empty() && !stream->busy) {
    count_use();
    stream->tail = task.mark;
    run(lock, *stream, task);
    wake_if_needed(*stream);
    return;
  }
  stream->queue.emplace_back();  // what can throw comes before what counts
  count_use();
  stream->tail = task.mark;
  stream->queue.back() = std::move(task);
  if (stream->queue.size() == 1) wake_if_needed(*stream);
}

std::shared_ptr<Mark> Scheduler::enqueue_mark(Lock& lock, const std::shared_ptr<Stream>& stream,
                                              std::vector<std::shared_ptr<Mark>> after) {
  Task task;
  task.after = std::move(after);
  std::shared_ptr<Mark> mark = task.mark;
  enqueue(lock, stream, std::move(task));
  return mark;
}

// Work of the legacy stream comes after all earlier work of the device's blocking streams, and theirs after its.
void Scheduler::add_implicit_order(const Stream& stream, Task& task) const {
  const DeviceState& device = state(stream.device);
  if (stream.role == StreamRole::blocking && device.legacy && device.legacy->tail)
    task.after.push_back(device.legacy->tail);
  if (stream.role != StreamRole::legacy) return;
  for (const auto& other : device.streams)
    if (other->role == StreamRole::blocking && other->tail) task.after.push_back(other->tail);
}

bool Scheduler::is_void(const Stream& stream, const Task& task) const {
  return task.losses != state(stream.device).losses;
}

bool Scheduler::can_start(const Stream& stream) const {
  if (stream.busy || stream.queue.empty()) return false;
  const Task& next = stream.queue.front();
  return is_void(stream, next) || std::ranges::all_of(next.after, [](const auto& mark) { return mark->done; });
}

void Scheduler::wake_if_needed(Stream& stream) const {
  if (can_start(stream) || stream.closing) stream.changed.notify_one();
}

void Scheduler::run(Lock& lock, Stream& stream, Task& task) {
  if (task.body) {
    stream.busy = true;
    const bool skip = is_void(stream, task);
    lock.unlock();
    if (!skip) task.body();
    task.body = nullptr;  // what it holds is gone before anybody sees it done, and goes without the mutex
    lock.lock();
    stream.busy = false;
  }
  for (const auto& entry : task.touches) --entry->uses;
  if (!is_void(stream, task)) complete(*task.mark);
  wake_sleepers();
}

void Scheduler::complete(Mark& mark) {
  mark.done = true;
  for (const auto& waiter : std::exchange(mark.waiters, {}))
    if (const auto stream = waiter.lock()) wake_if_needed(*stream);
  wake_sleepers();
}

bool Scheduler::wait(Lock& lock, int device, const Mark& mark) {
  const unsigned losses = state(device).losses;
  wait_until(lock, [&] { return mark.done || state(device).losses != losses; });
  return mark.done;
}

void Scheduler::serve(const std::shared_ptr<Stream>& stream) {
  Lock lock{mutex_};
  for (;;) {
    stream->changed.wait(lock, [&] {
      const bool over = stream->closing && stream->queue.empty() && !stream->busy;
      return over || can_start(*stream);
    });
    if (!can_start(*stream)) break;
    Task task = std::move(stream->queue.front());
    stream->queue.pop_front();
    run(lock, *stream, task);
  }
  std::erase(state(stream->device).streams, stream);
}

bool Scheduler::settled() const {
  return std::ranges::all_of(devices_, [this](const DeviceState& device) {
    return std::ranges::none_of(device.streams, [this](const auto& s) { return s->busy || can_start(*s); });
  });
}

void Scheduler::lose(int device) {
  if (device < 0 || static_cast<std::size_t>(device) >= devices_.size()) return;
  DeviceState& lost = state(device);
  lost.lost = true;
  ++lost.losses;
  for (const auto& stream : lost.streams) {
    stream->tail = nullptr;
    wake_if_needed(*stream);
  }
  wake_sleepers();
}

void Scheduler::revive() noexcept {
  for (DeviceState& device : devices_) device.lost = false;
}

}  // namespace tailrace::inline TAILRACE_ABI::host
