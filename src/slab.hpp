// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

/// Owns ordinary memory that is made to be pinned: page by page, a driver's own allocation of a large block takes many
/// times as long. A slab is
///  - mapped at a boundary of huge pages, and made of them where the system has them;
///  - on the device's NUMA node as far as there is room;
///  - not inherited by forked children, which must not touch it, and whose copy-on-write would move pages that a device
///    writes;
///  - touched already, by several threads.
/// Its bytes are zero. Pinning it, and ending that before the slab ends, is its user's.
class Slab {
 public:
  Slab() noexcept = default;
  /// @param bytes      not more than free_memory() says: touching more ends the process
  /// @param numa_node  empty: anywhere
  /// @returns an empty slab if the system gives no such mapping
  [[nodiscard]] static Slab map(std::size_t bytes, std::optional<int> numa_node) noexcept;
  Slab(Slab&& other) noexcept : data_{std::exchange(other.data_, nullptr)}, bytes_{std::exchange(other.bytes_, 0)} {}
  Slab& operator=(Slab&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;
  ~Slab();

  [[nodiscard]] explicit operator bool() const noexcept { return data_ != nullptr; }
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Leaves the memory mapped for ever, since a device may still write it; this object is empty then.
  void keep() noexcept {
    data_ = nullptr;
    bytes_ = 0;
  }

 private:
  Slab(std::byte* data, std::size_t bytes) noexcept : data_{data}, bytes_{bytes} {}
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
