// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tailrace::tool {

/// What the device memory holds for one sample: 64-bit words that all differ, and that differ from those at the same
/// place for every other sample. A byte that is missing, stale or from elsewhere shows.
struct Pattern {
  static constexpr std::uint64_t step = 0x9e37'79b9'7f4a'7c15;  // odd, so that no word comes twice
  std::uint64_t first = 0;

  [[nodiscard]] static constexpr Pattern of_sample(std::uint64_t number) noexcept {
    return {(number + 1) * 0xd134'2543'de82'ef95};
  }
  [[nodiscard]] constexpr std::uint64_t word(std::size_t index) const noexcept { return first + index * step; }
};

/// Compares bytes that were read from byte @p offset of the device memory on; offset and length are multiples of 8.
/// @param way  how they were read
/// @throws Error (Errc::copy_failed) that names the first byte that is wrong
void check_bytes(const Pattern& pattern, std::string_view way, std::span<const std::byte> bytes, std::size_t offset);

/// The same for the first and the last word only: cheap enough to be timed.
void check_ends(const Pattern& pattern, std::string_view way, std::span<const std::byte> bytes, std::size_t offset);

}  // namespace tailrace::tool
