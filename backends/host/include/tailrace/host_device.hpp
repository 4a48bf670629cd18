// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// What a program does with the host backend's devices in place of the vendor's calls: memory, streams and "kernels"
/// (functions run on the stream's thread). There are TAILRACE_HOST_DEVICES devices (default 2, at most 16), and each
/// thread has a current one, 0 at first. A stream runs its work in order on a thread of its own; device memory is
/// ordinary memory that copies check against its bounds. Safe from any thread.
/// Failures throw Error: Errc::device_lost, no_device or stream_capturing where that is the cause, else driver_error.

#include <tailrace/config.hpp>
#include <tailrace/stream.hpp>

#include <cstddef>
#include <functional>

namespace tailrace::inline TAILRACE_ABI::host {

[[nodiscard]] TAILRACE_EXPORT int device_count() noexcept;
[[nodiscard]] TAILRACE_EXPORT int current_device() noexcept;
/// @throws Error (Errc::no_device)
TAILRACE_EXPORT void set_device(int device);

/// Memory of the current device; its content is undefined. Not null, not even for 0 bytes.
[[nodiscard]] TAILRACE_EXPORT void* allocate(std::size_t bytes);
/// The same, known as memory that host and devices share.
[[nodiscard]] TAILRACE_EXPORT void* allocate_managed(std::size_t bytes);
/// Frees at once, like a blocking free after the work that uses it; null does nothing.
TAILRACE_EXPORT void deallocate(void* memory) noexcept;
/// Frees in stream order.
TAILRACE_EXPORT void deallocate_async(void* memory, StreamRef stream);
/// Pinned host memory, as an application would allocate it itself.
[[nodiscard]] TAILRACE_EXPORT void* allocate_pinned(std::size_t bytes);
TAILRACE_EXPORT void deallocate_pinned(void* memory) noexcept;
/// Makes ordinary memory of the caller's known as pinned, and ends that.
TAILRACE_EXPORT void register_pinned(void* memory, std::size_t bytes);
TAILRACE_EXPORT void unregister_pinned(void* memory);

/// Whether a stream synchronises with the legacy default stream.
enum class StreamKind { blocking, non_blocking };
[[nodiscard]] TAILRACE_EXPORT native_stream create_stream(StreamKind kind = StreamKind::non_blocking);
/// Ends the stream when its work is done; returns at once.
TAILRACE_EXPORT void destroy_stream(native_stream stream) noexcept;
/// Blocks until all work on the stream is done.
TAILRACE_EXPORT void synchronize(StreamRef stream);
/// Runs @p kernel on the stream, in order. It must not throw and must not call this library.
TAILRACE_EXPORT void launch(StreamRef stream, std::function<void()> kernel);
/// Blocking copy, like the vendors' plain call on the legacy stream.
TAILRACE_EXPORT void copy_to_host(void* destination, const void* source, std::size_t bytes);
TAILRACE_EXPORT void copy_to_device(void* destination, const void* source, std::size_t bytes);

/// Graph capture, as far as it matters here. While a stream captures, work on it is dropped. Calls that could harm a
/// capture (allocating and freeing, synchronising a stream, querying an event) are refused, and make the capture
/// invalid: in global mode on every thread, in per_thread mode on the thread that began it. A thread whose own mode is
/// relaxed is free of this. Ending, on the thread that began, answers whether the capture is unharmed.
enum class CaptureMode { global, per_thread, relaxed };
TAILRACE_EXPORT void begin_capture(native_stream stream, CaptureMode mode);
[[nodiscard]] TAILRACE_EXPORT bool end_capture(native_stream stream);

/// The calling thread's last error, as the vendors have it: set by every failing call, read (and for get_last_error()
/// cleared) by these. 0 is no error.
TAILRACE_EXPORT int get_last_error() noexcept;
[[nodiscard]] TAILRACE_EXPORT int peek_last_error() noexcept;
/// Fails with the given code, as an application's own bad call would, and leaves it as last error.
TAILRACE_EXPORT void fail_a_call_of_my_own(int code) noexcept;

}  // namespace tailrace::inline TAILRACE_ABI::host
