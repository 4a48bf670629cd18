// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "backends/host/machine.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::host {
namespace {

constexpr std::size_t most_devices = 16;

std::size_t devices_from_environment() noexcept {
  constexpr std::size_t fallback = 2;
  const char* text = std::getenv("TAILRACE_HOST_DEVICES");
  if (!text) return fallback;
  const std::string_view digits{text};
  std::size_t devices = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), devices);
  if (error != std::errc{} || end != digits.data() + digits.size()) return fallback;
  return std::min(devices, most_devices);
}

// The threads run code of this library, so that a plugin that links it may be closed but must not be unmapped.
void stay_loaded() noexcept {
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&stay_loaded), &self) != 0 && self.dli_fname)
    dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

constinit Machine* instance = nullptr;

// A forked child has none of the threads, but its calls must find a mutex that somebody can unlock.
void lock_around_fork() noexcept {
  const auto unlock = [] { instance->mutex.unlock(); };
  pthread_atfork([] { instance->mutex.lock(); }, unlock, unlock);
}

// The default streams of one thread. They are closed when the thread ends; a call that comes later still, from the
// destructor of another thread-local object, makes a new one, which stays.
thread_local constinit std::array<Stream*, most_devices> per_thread_streams{};

struct PerThreadStreamsCloser {
  PerThreadStreamsCloser() = default;
  PerThreadStreamsCloser(const PerThreadStreamsCloser&) = delete;
  PerThreadStreamsCloser& operator=(const PerThreadStreamsCloser&) = delete;
  ~PerThreadStreamsCloser() {
    const Lock lock{Machine::get().mutex};
    for (Stream*& stream : per_thread_streams)
      if (stream) Scheduler::close(*std::exchange(stream, nullptr));
  }
};

}  // namespace

ThreadState& this_thread() noexcept {
  static thread_local constinit ThreadState state;
  return state;
}

Machine::Machine() : scheduler{mutex, devices_from_environment()} {}

Machine& Machine::get() {
  static Machine& made = []() -> Machine& {
    instance = new Machine;
    stay_loaded();
    lock_around_fork();
    return *instance;
  }();
  return made;
}

Code Machine::make_current(int device) const {
  if (device < 0 || static_cast<std::size_t>(device) >= scheduler.devices()) return Code::invalid_device;
  this_thread().device = device;
  return Code::success;
}

std::shared_ptr<Stream> Machine::per_thread_stream(int device) {
  Stream*& mine = per_thread_streams[static_cast<std::size_t>(device)];
  if (mine) return mine->shared_from_this();
  static thread_local const PerThreadStreamsCloser closer;
  auto made = scheduler.start(device, StreamRole::blocking);
  mine = made.get();
  return made;
}

Code Machine::find(native_stream handle, std::shared_ptr<Stream>& stream) {
  if (handle == backend::legacy_stream) {
    stream = scheduler.legacy(this_thread().device);
  } else if (handle == backend::per_thread_stream) {
    stream = per_thread_stream(this_thread().device);
  } else {
    const auto found = streams_.find(handle);
    if (found == streams_.end()) return Code::invalid_resource_handle;
    stream = found->second;
  }
  return Code::success;
}

// The device that a call is about.

int Machine::device_of(native_stream stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? this_thread().device : found->second->device;
}

int Machine::device_of(native_event event) const {
  return events_.contains(event) ? event->device : this_thread().device;
}

int Machine::device_of(const void* memory) const {
  if (const auto entry = device_memory.find(memory)) return entry->device;
  if (const auto entry = pinned.find(memory)) return entry->device;
  return this_thread().device;
}

}  // namespace tailrace::inline TAILRACE_ABI::host
