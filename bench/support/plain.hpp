// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// The vendor's calls that a program makes which reads back by hand, the same on every backend: plain_gpu.cpp and
/// plain_host.cpp implement them. Each is one call of the vendor's, so that what is measured over them is what a
/// program without this library pays. A call that fails throws std::runtime_error or tailrace::Error.

#include <tailrace/config.hpp>
#include <tailrace/native.hpp>
#include <tailrace/stream.hpp>

#include "tests/support/device.hpp"

#include <cstddef>
#include <span>

namespace bench::plain {

#ifdef TAILRACE_BACKEND_HOST
/// The reference device is for trying the benchmarks out: sizes are cut down to what a CPU copies in a moment.
inline constexpr bool on_host = true;
#else
inline constexpr bool on_host = false;
#endif

/// Pinned memory of the vendor's own allocation.
class Pinned {
 public:
  explicit Pinned(std::size_t bytes) : data_{static_cast<std::byte*>(test::pinned_allocate(bytes))}, size_{bytes} {}
  ~Pinned() { test::pinned_free(data_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {data_, size_}; }

 private:
  std::byte* data_;
  std::size_t size_;
};

/// An event without timing.
class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(tailrace::StreamRef stream);
  [[nodiscard]] bool done() const;
  /// Work enqueued on the stream from now on waits for the last record.
  void hold_up(tailrace::StreamRef stream) const;

 private:
  tailrace::native_event handle_ = nullptr;
};

/// Waits for the producer's stream and copies with the vendor's blocking call, which does not know other streams.
void blocking_copy(std::span<std::byte> destination, const void* source, tailrace::StreamRef producer);

/// Enqueues the copy into pinned memory.
void copy_async(void* pinned, const void* source, std::size_t bytes, tailrace::StreamRef stream);

/// Whether the vendor has a call that enqueues many copies at once.
[[nodiscard]] bool has_batched_copy() noexcept;
/// Enqueues with it one copy of @p bytes bytes for each pair of pointers.
void copy_batch_async(std::span<void*> pinned, std::span<const void*> sources, std::size_t bytes,
                      tailrace::StreamRef stream);

/// When a stream came by.
class Stamp {
 public:
  Stamp();
  ~Stamp();
  Stamp(const Stamp&) = delete;
  Stamp& operator=(const Stamp&) = delete;
  void record(tailrace::StreamRef stream);
  /// Seconds of the steady clock; the stream must have passed.
  [[nodiscard]] double seconds() const;

 private:
  void* handle_ = nullptr;
};

}  // namespace bench::plain
