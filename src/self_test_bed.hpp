// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/self_test.hpp>
#include <tailrace/stream.hpp>
#include <tailrace/view.hpp>

#include "src/counters.hpp"
#include "src/device_fault.hpp"
#include "src/driver.hpp"
#include "src/resources.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tailrace::inline TAILRACE_ABI::detail {

/// Which writing of the source a byte is of. Patterns of two stamps differ in every byte, so that a byte of an earlier
/// writing is always seen, and bytes of one pattern are as good as random, so that one of another place is seen too.
using Stamp = std::uint8_t;

/// What the self-test stands on: device memory to read from, two pinned patterns of the same size to write there, and
/// streams to do so on. For one thread; while it lives, that thread's current device is the bed's.
class SelfTestBed {
 public:
  static constexpr std::size_t size = std::size_t{1280} << 10;     ///< bytes of the source, and of each pattern
  static constexpr std::size_t edge_size = std::size_t{64} << 10;  ///< bytes before those that delay() writes

  /// @throws Error
  explicit SelfTestBed(Device device);
  /// Waits for what is enqueued, then gives everything back.
  ~SelfTestBed();
  SelfTestBed(const SelfTestBed&) = delete;
  SelfTestBed& operator=(const SelfTestBed&) = delete;

  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] StreamRef stream() const { return non_blocking_.get(); }
  [[nodiscard]] StreamRef blocking_stream() const { return blocking_.get(); }
  [[nodiscard]] DeviceView source(std::size_t offset, std::size_t bytes) const {
    return {source_.get(), offset, bytes};
  }
  [[nodiscard]] const void* source() const noexcept { return source_.get(); }

  /// Writes the first @p bytes bytes of a new pattern into the source, in stream order. @returns its stamp
  Stamp write(std::size_t bytes, StreamRef stream);

  // The same in two steps. A pattern may be filled when nothing that was enqueued reads it any more.
  enum class Pattern : std::uint8_t { first, second };
  Stamp fill(Pattern pattern, std::size_t bytes) noexcept;
  void enqueue(Pattern pattern, std::size_t bytes, StreamRef stream);
  /// The second pattern's memory, as pinned memory of an application's.
  [[nodiscard]] std::span<std::byte> pinned() const noexcept { return memory_of(Pattern::second); }

  /// Enqueues work that takes much longer than a submission: a copy that does not wait for it comes too early.
  void delay(StreamRef stream);
  /// Waits until the stream, or every stream that is used here, has no work left. Never needed for what was read back:
  /// a copy must be seen without it.
  void synchronize(StreamRef stream);
  void settle();

  /// Compares a readback of the region with the pattern of that stamp, and notes the result.
  void compare(SelfTestPath& path, std::span<const std::byte> found, const DeviceView& region, Stamp stamp) const;

 private:
  /// Memory of one of the two kinds that the driver allocates.
  class Block {
   public:
    using Free = Status (Driver::*)(void*) const noexcept;
    Block(const Driver& driver, Free free) noexcept : driver_{driver}, free_{free} {}
    ~Block() {
      if (memory_ != nullptr) static_cast<void>((driver_.*free_)(memory_));
    }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    [[nodiscard]] void*& get() noexcept { return memory_; }
    [[nodiscard]] void* get() const noexcept { return memory_; }

   private:
    const Driver& driver_;
    Free free_;
    void* memory_ = nullptr;
  };

  void open();
  void check(Status status, const char* call);
  [[nodiscard]] std::array<StreamRef, 4> streams() const;
  [[nodiscard]] std::span<std::byte> memory_of(Pattern pattern) const noexcept {
    const Block& block = pattern == Pattern::first ? first_ : second_;
    return {static_cast<std::byte*>(block.get()), size};
  }

  Device device_;
  RingCounters counters_;
  Driver driver_;
  DeviceFault fault_;
  DeviceScope scope_;
  std::vector<std::byte> base_;  // the pattern of stamp 0
  Stamp last_stamp_ = 0;
  Block source_{driver_, &Driver::device_free};
  Block first_{driver_, &Driver::pinned_free};
  Block second_{driver_, &Driver::pinned_free};
  CopyStream non_blocking_;
  CopyStream blocking_;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
