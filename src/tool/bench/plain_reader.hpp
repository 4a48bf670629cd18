// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "pattern.hpp"

#include <tailrace/devices.hpp>
#include <tailrace/stream.hpp>
#include <tailrace/view.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace tailrace::tool {

/// Device memory that is read with the vendor's plain calls, as a program without this library would. It owns the
/// memory, as much vendor-pinned host memory, and a stream. The constructor makes its device the calling thread's
/// current one, which it must be in every call. Not safe for use by several threads at once. Failing calls of the
/// vendor throw Error (Errc::driver_error).
class PlainReader {
 public:
  /// @param bytes  a multiple of 8
  /// @throws std::bad_alloc if there is not as much device memory, or pinned host memory
  PlainReader(Device device, std::size_t bytes);
  ~PlainReader();
  PlainReader(const PlainReader&) = delete;
  PlainReader& operator=(const PlainReader&) = delete;

  /// Bytes of device memory that are free now on @p device; makes it the current one.
  [[nodiscard]] static std::size_t free_bytes(Device device);

  [[nodiscard]] StreamRef stream() const noexcept;
  [[nodiscard]] DeviceView memory() const noexcept;
  [[nodiscard]] std::span<const std::byte> pinned() const noexcept;

  /// Fills the device memory, with a kernel; returns when it is done.
  void write(const Pattern& pattern);
  /// Copies everything to pinned() with one asynchronous copy; returns when it is there.
  void read_pinned();
  /// The vendor's blocking copy, from byte @p offset on. The memory must be idle: it is ordered after nothing.
  void read_blocking(std::span<std::byte> destination, std::size_t offset);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tailrace::tool
