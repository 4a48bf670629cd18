// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "grid.hpp"

#include "input_error.hpp"

#include <algorithm>
#include <cmath>

namespace tailrace::tool {
namespace {

// Far below the largest float, so that sums of neighbours stay finite.
constexpr float largest_temperature = 1e30F;

/// Between which two cells of the old axis a new one lies, and how far from the first to the second.
struct Between {
  std::size_t first;
  std::size_t second;
  float part;
};

std::vector<Between> positions(std::size_t from, std::size_t to) {
  std::vector<Between> result(to);
  for (std::size_t i = 0; i < to; ++i) {
    // Integer arithmetic for the whole part: the corners fall on corners exactly.
    const std::size_t numerator = i * (from - 1);
    const std::size_t denominator = to - 1;
    const std::size_t first = numerator / denominator;
    result[i] = {first, std::min(first + 1, from - 1),
                 static_cast<float>(static_cast<double>(numerator % denominator) / static_cast<double>(denominator))};
  }
  return result;
}

}  // namespace

void check_shape(const std::string& file, std::uint64_t width, std::uint64_t height) {
  if (usable_shape(width, height)) return;
  throw InputError{file,
                   "its size of " + std::to_string(width) + " x " + std::to_string(height) + " cannot be computed on",
                   "give at least 3 x 3 and at most " + std::to_string(most_cells) + " cells"};
}

void check_cells(const std::string& file, const Grid& grid) {
  const auto unusable = [](float cell) { return !(std::abs(cell) <= largest_temperature); };  // true for NaN
  const auto bad = std::find_if(grid.cells.begin(), grid.cells.end(), unusable);
  if (bad != grid.cells.end()) {
    const auto index = static_cast<std::size_t>(bad - grid.cells.begin());
    throw InputError{file,
                     "row " + std::to_string(index / grid.width) + ", column " + std::to_string(index % grid.width) +
                         " holds " + std::to_string(*bad),
                     "give finite temperatures of a magnitude of at most 1e30"};
  }
  const auto [low, high] = std::minmax_element(grid.cells.begin(), grid.cells.end());
  if (!(*low < *high)) {
    throw InputError{file, "all cells have the same temperature, so that nothing would flow",
                     "give a picture with at least two shades"};
  }
}

Grid resample(const Grid& grid, std::size_t width, std::size_t height) {
  if (width == grid.width && height == grid.height) return grid;
  const std::vector<Between> columns = positions(grid.width, width);
  const std::vector<Between> rows = positions(grid.height, height);
  Grid result{width, height, std::vector<float>(width * height)};
  float* out = result.cells.data();
  for (const Between& row : rows) {
    const float* upper = grid.cells.data() + row.first * grid.width;
    const float* lower = grid.cells.data() + row.second * grid.width;
    for (const Between& column : columns) {
      const float top = std::lerp(upper[column.first], upper[column.second], column.part);
      const float bottom = std::lerp(lower[column.first], lower[column.second], column.part);
      *out++ = std::lerp(top, bottom, row.part);
    }
  }
  return result;
}

}  // namespace tailrace::tool
