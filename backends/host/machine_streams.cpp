// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "backends/host/machine.hpp"

#include <utility>

namespace tailrace::inline TAILRACE_ABI::host {

Code Machine::create_stream(StreamRole role, native_stream& stream) {
  auto made = scheduler.start(this_thread().device, role);
  stream = made.get();
  streams_.emplace(stream, std::move(made));
  return Code::success;
}

Code Machine::destroy_stream(native_stream stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return Code::invalid_resource_handle;
  captures.forget(*stream);
  Scheduler::close(*stream);
  streams_.erase(found);
  return Code::success;
}

Code Machine::synchronize(Lock& lock, native_stream handle) {
  std::shared_ptr<Stream> stream;
  if (const Code code = find(handle, stream); code != Code::success) return code;
  if (const Code code = captures.synchronize(*stream); code != Code::success) return code;
  if (const Code code = captures.unsafe_call(this_thread().capture_mode); code != Code::success) return code;
  const bool legacy = stream->role == StreamRole::legacy;
  const std::shared_ptr<Mark> mark = legacy ? scheduler.enqueue_mark(lock, stream) : stream->tail;
  if (mark && !scheduler.wait(lock, stream->device, *mark)) return Code::illegal_address;
  return Code::success;
}

Code Machine::create_event(native_event& event) {
  auto made = std::make_unique<Event>();
  made->device = this_thread().device;
  native_event handle = made.get();
  events_.emplace(handle, std::move(made));
  event = handle;
  return Code::success;
}

Code Machine::destroy_event(native_event event) {
  return events_.erase(event) == 1 ? Code::success : Code::invalid_resource_handle;
}

Code Machine::record(Lock& lock, native_event event, native_stream handle) {
  std::shared_ptr<Stream> stream;
  if (const Code code = find(handle, stream); code != Code::success) return code;
  if (!events_.contains(event) || event->device != stream->device) return Code::invalid_resource_handle;
  if (const Code code = captures.use(*stream); code != Code::success) return code;
  event->captured = captures.includes(*stream);
  if (!event->captured) event->mark = scheduler.enqueue_mark(lock, stream);
  return Code::success;
}

Code Machine::query(native_event event) {
  if (!events_.contains(event)) return Code::invalid_resource_handle;
  if (const Code code = captures.unsafe_call(this_thread().capture_mode); code != Code::success) return code;
  if (event->captured) return Code::captured_event;
  return !event->mark || event->mark->done ? Code::success : Code::not_ready;
}

Code Machine::wait_for_event(Lock& lock, native_stream stream, native_event event) {
  if (!events_.contains(event)) return Code::invalid_resource_handle;
  if (event->captured) return Code::stream_capture_isolation;
  Task task;
  if (event->mark) task.after.push_back(event->mark);
  return submit(lock, stream, std::move(task));
}

}  // namespace tailrace::inline TAILRACE_ABI::host
