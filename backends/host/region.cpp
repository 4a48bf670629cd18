// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "backends/host/region.hpp"

#include <cstring>

namespace tailrace::inline TAILRACE_ABI::host {
namespace {

bool multiply(std::size_t a, std::size_t b, std::size_t& product) noexcept {
  return !__builtin_mul_overflow(a, b, &product);
}

bool add(std::size_t& sum, std::size_t term) noexcept { return !__builtin_add_overflow(sum, term, &sum); }

bool pitches_fit(const backend::Region& region) noexcept {
  const bool one_row = region.height == 1 && region.depth == 1;
  if (!one_row && region.pitch < region.width) return false;
  if (region.depth == 1) return true;
  return region.slice_pitch % region.pitch == 0 && region.slice_pitch / region.pitch >= region.height;
}

}  // namespace

Code measure(const backend::Region& region, Extent& extent) noexcept {
  extent = {};
  if (region.width == 0 || region.height == 0 || region.depth == 0) return Code::success;
  if (!pitches_fit(region)) return Code::invalid_pitch_value;
  std::size_t rows = 0;
  std::size_t last_row = 0;
  std::size_t last_slice = 0;
  Extent found{0, region.width};
  const bool fits = multiply(region.height, region.depth, rows) && multiply(rows, region.width, found.bytes) &&
                    multiply(region.height - 1, region.pitch, last_row) &&
                    multiply(region.depth - 1, region.slice_pitch, last_slice) && add(found.span, last_row) &&
                    add(found.span, last_slice);
  if (!fits) return Code::invalid_value;
  extent = found;
  return Code::success;
}

void copy_dense(std::byte* destination, const backend::Region& source) noexcept {
  for (std::size_t slice = 0; slice < source.depth; ++slice) {
    const std::byte* row = static_cast<const std::byte*>(source.data) + slice * source.slice_pitch;
    for (std::size_t i = 0; i < source.height; ++i) {
      std::memcpy(destination, row, source.width);
      destination += source.width;
      row += source.pitch;
    }
  }
}

}  // namespace tailrace::inline TAILRACE_ABI::host
