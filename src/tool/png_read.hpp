// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "grid.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace tailrace::tool {

/// Whether the bytes start as a PNG file does.
[[nodiscard]] bool looks_like_png(std::span<const std::byte> content) noexcept;
/// The pixels of an 8- or 16-bit grey PNG file, black as 0 and white as 1.
/// @throws InputError naming @p file and what is wrong: another kind of picture, damaged or truncated content
[[nodiscard]] Grid read_png(const std::string& file, std::span<const std::byte> content);

}  // namespace tailrace::tool
