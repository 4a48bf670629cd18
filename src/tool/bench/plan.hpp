// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/error.hpp>

#include <cstddef>
#include <new>
#include <optional>
#include <string>

namespace tailrace::tool {

inline constexpr std::size_t mebibyte = std::size_t{1} << 20;
/// From this size on, a copy over PCI Express runs at full speed, start and end included.
inline constexpr std::size_t most_large_bytes = 256 * mebibyte;
inline constexpr std::size_t least_large_bytes = mebibyte;
/// A large slot of a ring: long enough for full speed, and four of them are still little memory.
inline constexpr std::size_t most_slot_bytes = 16 * mebibyte;
inline constexpr unsigned large_slots = 4;

/// Bytes that may be used.
struct Room {
  std::size_t device = 0;  ///< free device memory
  std::size_t host = 0;    ///< host memory that is available to this process
};

/// Bytes of one large read, a power of two.
struct LargeSize {
  std::size_t bytes = 0;
  std::optional<std::string> note{};  ///< why it is not most_large_bytes, if that is for want of memory
};

/// As much as there is time for, and that leaves most of the memory to others: half of what is free on the device, an
/// eighth of what is available on the host, where it is needed twice.
[[nodiscard]] LargeSize plan_large_size(unsigned seconds, const Room& room);
/// Bytes of a slot, so that a large read goes through all slots of a ring at least twice.
[[nodiscard]] std::size_t plan_slot_size(std::size_t large_bytes) noexcept;

/// Answers with make(bytes), or of half as many bytes, and so on, as long as make() throws std::bad_alloc or Error
/// (Errc::out_of_pinned_memory). What is thrown for least_large_bytes, and anything else, passes.
template <class Make>
auto make_as_large_as_possible(std::size_t bytes, const Make& make) {
  for (;; bytes /= 2) {
    try {
      return make(bytes);
    } catch (const std::bad_alloc&) {
      if (bytes <= least_large_bytes) throw;
    } catch (const Error& error) {
      if (bytes <= least_large_bytes || error.errc() != Errc::out_of_pinned_memory) throw;
    }
  }
}

}  // namespace tailrace::tool
