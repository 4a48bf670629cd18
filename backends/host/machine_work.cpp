// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "backends/host/machine.hpp"
#include "backends/host/region.hpp"

#include <utility>

namespace tailrace::inline TAILRACE_ABI::host {

Code Machine::submit(Lock& lock, native_stream handle, Task task) {
  std::shared_ptr<Stream> stream;
  if (const Code code = find(handle, stream); code != Code::success) return code;
  if (const Code code = captures.use(*stream); code != Code::success) return code;
  if (!captures.includes(*stream)) scheduler.enqueue(lock, stream, std::move(task));
  return Code::success;
}

Code Machine::copy(Lock& lock, void* destination, const backend::Region& source, native_stream stream, Target target) {
  Extent extent;
  if (const Code code = measure(source, extent); code != Code::success) return code;
  Task task;
  if (extent.bytes != 0) {
    const auto from = device_memory.find(source.data, extent.span);
    if (!from) return Code::invalid_value;
    task.touches.push_back(from);
    if (target != Target::any) {
      const auto to = (target == Target::pinned ? pinned : device_memory).find(destination, extent.bytes);
      if (!to || (target == Target::device && to->device != from->device)) return Code::invalid_value;
      task.touches.push_back(to);
    }
    task.body = [destination, source] { copy_dense(static_cast<std::byte*>(destination), source); };
    task.copy = true;
  }
  return submit(lock, stream, std::move(task));
}

Code Machine::launch(Lock& lock, native_stream stream, std::function<void()> kernel) {
  Task task;
  task.body = std::move(kernel);
  return submit(lock, stream, std::move(task));
}

Code Machine::hold(Lock& lock, native_stream stream, std::shared_ptr<Mark> gate) {
  Task task;
  task.after.push_back(std::move(gate));
  return submit(lock, stream, std::move(task));
}

Code Machine::copy_now(Lock& lock, void* destination, const backend::Region& source) {
  const Code code = copy(lock, destination, source, backend::legacy_stream, Target::any);
  return code == Code::success ? synchronize(lock, backend::legacy_stream) : code;
}

Code Machine::upload_now(Lock& lock, void* destination, const void* source, std::size_t bytes) {
  const auto to = device_memory.find(destination, bytes);
  if (!to) return Code::invalid_value;
  Task task;
  task.touches.push_back(to);
  task.body = [destination, source, bytes] {
    copy_dense(static_cast<std::byte*>(destination), {.data = source, .width = bytes});
  };
  const Code code = submit(lock, backend::legacy_stream, std::move(task));
  return code == Code::success ? synchronize(lock, backend::legacy_stream) : code;
}

}  // namespace tailrace::inline TAILRACE_ABI::host
