// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tailrace::tool {

using TableRow = std::vector<std::string>;

/// Aligned text, one line a row, each ending with a line feed: the first column to the left, the others to the right,
/// two spaces between. Short rows are allowed.
[[nodiscard]] std::string format_table(const std::vector<TableRow>& rows);

/// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t number);
/// With so many digits behind the point.
[[nodiscard]] std::string fixed(double number, int digits);
/// A size in the largest binary unit in which it is at least 1: "1.00 GiB".
[[nodiscard]] std::string binary_size(std::uint64_t bytes);

}  // namespace tailrace::tool
