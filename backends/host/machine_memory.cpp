// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "backends/host/machine.hpp"

namespace tailrace::inline TAILRACE_ABI::host {

Code Machine::admit_pinned(Lock& lock, std::size_t bytes) {
  if (const Code code = captures.unsafe_call(this_thread().capture_mode); code != Code::success) return code;
  if (pinned_holds != 0) {
    ++pinned_blocked;
    scheduler.wake_sleepers();
    scheduler.wait_until(lock, [this] { return pinned_holds == 0; });
    --pinned_blocked;
  }
  const bool fits = pinned.bytes() <= pinned_limit && bytes <= pinned_limit - pinned.bytes();
  return fits ? Code::success : Code::memory_allocation;
}

Code Machine::allocate_pinned(Lock& lock, std::size_t bytes, void*& memory) {
  if (const Code code = admit_pinned(lock, bytes); code != Code::success) return code;
  const auto entry = pinned.allocate(bytes, this_thread().device);
  if (!entry) return Code::memory_allocation;
  memory = entry->data;
  return Code::success;
}

// As the vendors' free does, it waits for work that uses the memory: freeing too early shows as a call that blocks.
Code Machine::release(Lock& lock, MemoryMap& map, const void* memory) {
  const auto entry = map.find(memory);
  scheduler.wait_until(lock, [&] { return entry->uses == 0 || scheduler.lost(entry->device); });
  if (scheduler.lost(entry->device)) return Code::illegal_address;
  return map.find(memory) == entry && map.remove(memory) ? Code::success : Code::invalid_value;
}

Code Machine::free_pinned(Lock& lock, const void* memory) {
  if (const Code code = captures.unsafe_call(this_thread().capture_mode); code != Code::success) return code;
  const auto entry = pinned.find(memory);
  if (!entry || entry->data != memory || !entry->storage) return Code::invalid_value;
  return release(lock, pinned, memory);
}

Code Machine::register_pinned(Lock& lock, void* memory, std::size_t bytes) {
  if (!memory || bytes == 0) return Code::invalid_value;
  if (const Code code = admit_pinned(lock, bytes); code != Code::success) return code;
  return pinned.note(memory, bytes, this_thread().device) ? Code::success : Code::host_memory_already_registered;
}

Code Machine::unregister_pinned(Lock& lock, const void* memory) {
  if (const Code code = captures.unsafe_call(this_thread().capture_mode); code != Code::success) return code;
  const auto entry = pinned.find(memory);
  if (!entry || entry->data != memory || entry->storage) return Code::host_memory_not_registered;
  return release(lock, pinned, memory);
}

Code Machine::allocate_on_device(std::size_t bytes, void*& memory, bool managed) {
  if (const Code code = captures.unsafe_call(this_thread().capture_mode); code != Code::success) return code;
  const auto entry = device_memory.allocate(bytes, this_thread().device);
  if (!entry) return Code::memory_allocation;
  entry->managed = managed;
  memory = entry->data;
  return Code::success;
}

Code Machine::free_on_device(Lock& lock, const void* memory) {
  if (const Code code = captures.unsafe_call(this_thread().capture_mode); code != Code::success) return code;
  const auto entry = device_memory.find(memory);
  if (!entry || entry->data != memory) return Code::invalid_value;
  return release(lock, device_memory, memory);
}

Code Machine::free_in_order(Lock& lock, const void* memory, native_stream stream) {
  auto entry = device_memory.find(memory);
  if (!entry || entry->data != memory) return Code::invalid_value;
  // The storage goes when the task runs, whoever reads it still: an order that is missing is to be found out.
  const Code code = launch(lock, stream, [entry] { entry->storage.reset(); });
  if (code == Code::success) device_memory.remove(memory);
  return code;
}

}  // namespace tailrace::inline TAILRACE_ABI::host
