// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "grid.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace tailrace::tool {

/// Whether the bytes start as a .npy file does.
[[nodiscard]] bool looks_like_npy(std::span<const std::byte> content) noexcept;
/// The array of a .npy file, format version 1.0, 2.0 or 3.0: two dimensions of little-endian float32 in C order.
/// @throws InputError naming @p file and what is wrong: another kind of array, malformed or truncated content
[[nodiscard]] Grid read_npy(const std::string& file, std::span<const std::byte> content);

}  // namespace tailrace::tool
