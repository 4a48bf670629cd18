// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace tailrace::tool {

/// How temperatures become pictures: @ref low is black, @ref high is white, in 256 shades.
struct FrameFormat {
  std::size_t width = 0;
  std::size_t height = 0;
  float low = 0;
  float high = 1;
};

/// Where the frame of a step lies: "frame-00000050.png" in @p directory.
[[nodiscard]] std::filesystem::path frame_path(const std::filesystem::path& directory, std::uint64_t step);

/// Writes a field as an 8-bit grey PNG file. Shades alone would hide small differences between two fields, so the
/// file's comment carries the field's CRC-32: equal files stand for equal fields.
/// @throws Error (Errc::invalid_argument) if the file cannot be written
void write_frame(const std::filesystem::path& path, const FrameFormat& format, std::span<const float> field);

}  // namespace tailrace::tool
