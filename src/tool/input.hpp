// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "grid.hpp"

#include <filesystem>

namespace tailrace::tool {

/// Initial temperatures out of a file, whose kind is told by its content and not by its name.
/// @throws InputError naming the file, what is wrong with it and what is accepted
[[nodiscard]] Grid read_input(const std::filesystem::path& path);

}  // namespace tailrace::tool
