// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// What a test does with a device, the same on every backend: gpu_device.cpp and host_device.cpp implement it. Calls
/// behave as an application's own vendor calls do; one that fails unexpectedly throws std::runtime_error.

#include <tailrace/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace test {

[[nodiscard]] int device_count();
void use_device(int device);
[[nodiscard]] int current_device();

/// Device memory on the device that is current when it is made.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes);
  /// Memory that free_async() can free.
  [[nodiscard]] static Buffer stream_ordered(std::size_t bytes, tailrace::StreamRef stream);
  /// Memory that host and device share.
  [[nodiscard]] static Buffer managed(std::size_t bytes);
  /// Waits for the device, as the vendors' free does: not to be reached while a stream is held.
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // The three below block, and run beside all other streams, held ones too: synchronise with the producer first.
  void upload(std::span<const std::byte> bytes);
  [[nodiscard]] std::vector<std::byte> download() const;
  void fill(std::byte value);

 private:
  Buffer(void* data, std::size_t bytes) noexcept : data_{data}, size_{bytes} {}
  friend void free_async(Buffer&& buffer, tailrace::StreamRef stream);
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Frees a stream-ordered buffer when the work now enqueued on the stream is done.
void free_async(Buffer&& buffer, tailrace::StreamRef stream);

/// A stream of the device that is current when it is made. Its end lets the work that is enqueued run on.
class Stream {
 public:
  enum Kind { blocking, non_blocking };
  explicit Stream(Kind kind = non_blocking);
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator tailrace::StreamRef() const { return handle_; }  // NOLINT(google-explicit-constructor): as the vendor's does
  void synchronize();

 private:
  tailrace::native_stream handle_ = nullptr;
};

void synchronize(tailrace::StreamRef stream);

/// Work enqueued on the stream after the construction does not start until release() or the destructor.
class Hold {
 public:
  explicit Hold(tailrace::StreamRef stream);
  ~Hold();
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  void release() noexcept;

 private:
  void* gate_ = nullptr;
  unsigned epoch_ = 0;
};

/// Enqueues a kernel that writes @p value into @p words 64-bit words of the buffer, from byte @p offset on.
void stamp(Buffer& buffer, std::size_t offset, std::size_t words, std::uint64_t value, tailrace::StreamRef stream);
/// The same behind about a millisecond of other work, so that a missing order shows.
void stamp_slow(Buffer& buffer, std::size_t offset, std::size_t words, std::uint64_t value, tailrace::StreamRef stream);
/// The plain way to read a buffer: waits for the stream, then copies with the vendor's blocking call.
void blocking_copy(std::span<std::byte> destination, const Buffer& source, tailrace::StreamRef stream);
/// Enqueues a copy of the smaller of the two sizes.
void device_copy(Buffer& destination, const Buffer& source, tailrace::StreamRef stream);

enum class CaptureMode { global, per_thread, relaxed };
void begin_capture(tailrace::StreamRef stream, CaptureMode mode);
/// Ends the capture and throws away what was captured. True if the capture is unharmed.
[[nodiscard]] bool end_capture(tailrace::StreamRef stream);

/// The runtime's last error of this thread: read and cleared; only read.
int last_error();
[[nodiscard]] int peek_error();
/// A call that fails as an application's own might, and leaves its code, which it returns, as the last error.
int own_failing_call();

[[nodiscard]] void* pinned_allocate(std::size_t bytes);
void pinned_free(void* memory);
void register_pinned(void* memory, std::size_t bytes);
void unregister_pinned(void* memory);

// For tests in a process of their own.

/// Enqueues a kernel that writes to an illegal address: the device is lost when it runs.
void enqueue_fault(tailrace::StreamRef stream);
/// Loses the current device to such a kernel, and waits until the loss is known.
void fault_device();
/// Resets the current device as another library of the process might: streams, events and memory of all are gone. The
/// host backend has no such call; there the device is lost.
/// @returns false, with nothing done, with HIP: its runtime crashes on handles that a reset has made invalid (seen on
/// NVIDIA, where CUDA's driver, which our CUDA backend asks, refuses them)
[[nodiscard]] bool reset_device();

}  // namespace test
