// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// @file
/// Reading of the small text files in which the kernel answers questions: those of /proc and of control groups.

namespace tailrace::inline TAILRACE_ABI::detail {

/// Reads a whole file; empty if there is none.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

/// The ReadFile of the system that the process runs on.
[[nodiscard]] std::optional<std::string> read_file(const std::string& path);

/// The first word of the text, which is removed from it.
[[nodiscard]] std::string_view next_word(std::string_view& text);

/// The word as a number; empty if it is anything else, or does not fit.
[[nodiscard]] std::optional<std::uint64_t> number(std::string_view word);

/// The number that is a file's first word.
[[nodiscard]] std::optional<std::uint64_t> number_in(const std::string& file, const ReadFile& read);

/// The number behind a key at the beginning of a line: "active_file 4096", "MemAvailable:  100 kB".
[[nodiscard]] std::optional<std::uint64_t> number_behind(std::string_view key, std::string_view text);

}  // namespace tailrace::inline TAILRACE_ABI::detail
