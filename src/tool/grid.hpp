// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tailrace::tool {

/// Temperatures on a rectangle, row by row.
struct Grid {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<float> cells;
};

/// A cell that has neighbours on all sides needs three of each.
inline constexpr std::uint64_t smallest_side = 3;
/// 4 GiB of float32: 32768 × 32768.
inline constexpr std::uint64_t most_cells = std::uint64_t{1} << 30;

/// Whether a grid of this shape can be computed on. Never overflows.
[[nodiscard]] constexpr bool usable_shape(std::uint64_t width, std::uint64_t height) noexcept {
  return width >= smallest_side && height >= smallest_side && width <= most_cells / height;
}
/// @throws InputError naming @p file if the shape is not usable
void check_shape(const std::string& file, std::uint64_t width, std::uint64_t height);
/// @throws InputError naming @p file and the first cell that is not finite or too large to compute with, or if all
/// cells are equal: nothing would flow
void check_cells(const std::string& file, const Grid& grid);

/// The same picture on another grid: bilinear, corners on corners.
[[nodiscard]] Grid resample(const Grid& grid, std::size_t width, std::size_t height);

}  // namespace tailrace::tool
