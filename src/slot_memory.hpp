// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/error.hpp>
#include <tailrace/ring.hpp>

#include "src/driver.hpp"
#include "src/slab.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace tailrace::inline TAILRACE_ABI::detail {

/// The pinned memory of a ring's slots, in one block: the caller's, if there is a source; a slab, for a large ring,
/// where the driver can pin one; else the driver's own allocation.
class SlotMemory {
 public:
  static constexpr std::size_t alignment = 256;
  /// Rings of so many bytes and more are made of a slab. Below, the driver's allocation takes no longer than a process
  /// notices, and the threads of a slab are not worth their start.
  static constexpr std::size_t slab_from = std::size_t{16} << 20;

  SlotMemory() noexcept = default;
  SlotMemory(const SlotMemory&) = delete;
  SlotMemory& operator=(const SlotMemory&) = delete;
  ~SlotMemory() { static_cast<void>(close()); }
  /// The driver's device is current. Called once.
  /// @throws Error (Errc::out_of_pinned_memory, wrong_memory, …)
  void open(const Driver& driver, unsigned slots, std::size_t capacity, std::shared_ptr<PinnedSource> source,
            const std::string& ring);
  /// Gives the memory back. If the driver does not take it, which is what is returned then, it stays as it is until the
  /// process ends.
  Status close() noexcept;
  [[nodiscard]] std::byte* slot(unsigned index) const noexcept { return base_ + index * stride_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Those of bytes() that are a slab's: all or none.
  [[nodiscard]] std::size_t slab_bytes() const noexcept { return slab_.bytes(); }
  /// Bytes that a ring of this shape allocates. @throws Error (Errc::region_overflow)
  [[nodiscard]] static std::size_t bytes_for(unsigned slots, std::size_t capacity);

 private:
  void take_from_source(const std::string& ring);
  bool make_slab(const std::string& ring);
  void allocate(const std::string& ring);
  [[nodiscard]] Error refusal(Errc code, const std::string& what, const std::string& ring, Status status = {}) const;

  const Driver* driver_ = nullptr;
  std::shared_ptr<PinnedSource> source_;
  Slab slab_;
  std::byte* base_ = nullptr;
  std::size_t stride_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
