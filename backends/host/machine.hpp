// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/host_device.hpp>

#include "backends/adapter.hpp"
#include "backends/host/capture.hpp"
#include "backends/host/faults.hpp"
#include "backends/host/host_error.hpp"
#include "backends/host/memory.hpp"
#include "backends/host/scheduler.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace tailrace::inline TAILRACE_ABI::host {

/// What the vendors' runtimes keep per thread. Trivially destructible: destructors of other thread-local objects may
/// still make calls.
struct ThreadState {
  int device = 0;
  CaptureMode capture_mode = CaptureMode::global;
  int last_error = 0;
  std::uint64_t seam_calls = 0;  ///< calls of the core made so far
};
[[nodiscard]] ThreadState& this_thread() noexcept;

/// All devices of the process and what they hold: the operations that the seam (adapter.cpp) and the application's
/// calls (host_device.cpp) have in common. The two differ in what call.hpp puts around them. Defined in
/// machine_memory.cpp, machine_streams.cpp and machine_work.cpp; machine.cpp has what is about process and threads.
///
/// One mutex guards everything; bodies of tasks and user code run without it. Every member is called with it held;
/// those that take the lock may give it up for a time.
class Machine {
 public:
  /// Made at first use and never destroyed, like the threads of its streams: what destructors of static objects call at
  /// exit still works.
  static Machine& get();

  /// Makes the device the calling thread's current one; possible for a lost device too.
  Code make_current(int device) const;

  // Memory. Allocations belong to the current device; what ends one waits for the copies that touch it.
  Code allocate_pinned(Lock& lock, std::size_t bytes, void*& memory);
  Code free_pinned(Lock& lock, const void* memory);
  Code register_pinned(Lock& lock, void* memory, std::size_t bytes);
  Code unregister_pinned(Lock& lock, const void* memory);
  Code allocate_on_device(std::size_t bytes, void*& memory, bool managed = false);
  Code free_on_device(Lock& lock, const void* memory);
  Code free_in_order(Lock& lock, const void* memory, native_stream stream);

  // Streams and events.
  Code create_stream(StreamRole role, native_stream& stream);
  Code destroy_stream(native_stream stream);
  Code synchronize(Lock& lock, native_stream handle);
  Code wait_for_event(Lock& lock, native_stream stream, native_event event);
  Code create_event(native_event& event);
  Code destroy_event(native_event event);
  Code record(Lock& lock, native_event event, native_stream handle);
  Code query(native_event event);
  /// Finds a stream, the special ones by their handles, without asking for permission to use it.
  Code find(native_stream handle, std::shared_ptr<Stream>& stream);

  // Work.
  enum class Target { pinned, device, any };
  Code copy(Lock& lock, void* destination, const backend::Region& source, native_stream stream, Target target);
  /// Host to device. Target says of what kind the host memory must be: pinned, or any.
  Code upload(Lock& lock, void* destination, const void* source, std::size_t bytes, native_stream stream, Target from);
  Code launch(Lock& lock, native_stream stream, std::function<void()> kernel);
  /// Blocking copies on the legacy stream.
  Code copy_now(Lock& lock, void* destination, const backend::Region& source);
  Code upload_now(Lock& lock, void* destination, const void* source, std::size_t bytes);
  /// Work on the stream waits for the mark.
  Code hold(Lock& lock, native_stream stream, std::shared_ptr<Mark> gate);

  // The device that a call is about, for call.hpp: that of the object, or the current one.
  [[nodiscard]] int device_of(native_stream stream) const;
  [[nodiscard]] int device_of(native_event event) const;
  [[nodiscard]] int device_of(const void* memory) const;

  std::mutex mutex;
  Scheduler scheduler;
  Captures captures;
  Faults faults;
  MemoryMap pinned;
  MemoryMap device_memory;
  std::size_t pinned_limit = std::numeric_limits<std::size_t>::max();
  unsigned pinned_holds = 0;    ///< while there is one, pinned allocations and registrations block
  unsigned pinned_blocked = 0;  ///< threads that do
  bool spoil_copy = false;      ///< the copy that is now enqueued gets its middle byte wrong
  [[nodiscard]] std::size_t streams() const noexcept { return streams_.size(); }
  [[nodiscard]] std::size_t events() const noexcept { return events_.size(); }

 private:
  Machine();
  Code admit_pinned(Lock& lock, std::size_t bytes);
  Code release(Lock& lock, MemoryMap& map, const void* memory);
  Code submit(Lock& lock, native_stream handle, Task task);
  std::shared_ptr<Stream> per_thread_stream(int device);

  std::unordered_map<native_stream, std::shared_ptr<Stream>> streams_;
  std::unordered_map<native_event, std::unique_ptr<Event>> events_;
};

}  // namespace tailrace::inline TAILRACE_ABI::host
