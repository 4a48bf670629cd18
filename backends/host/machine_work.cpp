// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "backends/host/machine.hpp"
#include "backends/host/region.hpp"

#include <algorithm>
#include <cstring>
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
    task.body = [to = static_cast<std::byte*>(destination), source, middle = extent.bytes / 2, spoil = spoil_copy] {
      copy_dense(to, source);
      if (spoil) to[middle] = ~to[middle];
    };
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

Code Machine::upload(Lock& lock, void* destination, const void* source, std::size_t bytes, native_stream stream,
                     Target from) {
  Task task;
  if (bytes != 0) {
    task.touches.push_back(device_memory.find(destination, bytes));
    if (from == Target::pinned) task.touches.push_back(pinned.find(source, bytes));
    if (std::ranges::find(task.touches, nullptr) != task.touches.end()) return Code::invalid_value;
    task.body = [destination, source, bytes] { std::memcpy(destination, source, bytes); };
  }
  return submit(lock, stream, std::move(task));
}

Code Machine::upload_now(Lock& lock, void* destination, const void* source, std::size_t bytes) {
  const Code code = upload(lock, destination, source, bytes, backend::legacy_stream, Target::any);
  return code == Code::success ? synchronize(lock, backend::legacy_stream) : code;
}

}  // namespace tailrace::inline TAILRACE_ABI::host
