// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/stream.hpp>
#include <tailrace/view.hpp>

#include "tests/support/device.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace enumeration {

/// What the application has on a device, for all runs: a source, streams, pinned memory of its own. Its calls may fail
/// since the device is lost; that is not the library's concern, and leaves no last error.
class Stage {
 public:
  explicit Stage(int device);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  static constexpr std::size_t source_bytes = std::size_t{1} << 20;
  static constexpr std::size_t pinned_bytes = std::size_t{64} << 10;

  /// The next region of the source, and a value that no region had before, which a kernel writes all over it.
  struct Stamped {
    tailrace::DeviceView view;
    std::uint64_t value;
  };
  Stamped stamp(std::size_t words);
  /// Has a kernel write other values over a region.
  void overwrite(const tailrace::DeviceView& view);

  [[nodiscard]] bool lost() const;
  [[nodiscard]] int device() const noexcept { return device_; }
  [[nodiscard]] tailrace::StreamRef producer() const { return producer_; }
  [[nodiscard]] tailrace::StreamRef other() const { return other_; }
  [[nodiscard]] std::span<std::byte> pinned() const noexcept {
    return {static_cast<std::byte*>(pinned_), pinned_bytes};
  }

 private:
  void launch_stamp(const tailrace::DeviceView& view, std::uint64_t value);
  int device_;
  test::Buffer source_;
  test::Stream producer_;
  test::Stream other_;
  void* pinned_;
  std::size_t next_ = 0;
};

/// The one of a device; never destroyed, as the streams' threads are not.
[[nodiscard]] Stage& stage(int device = 0);

}  // namespace enumeration
