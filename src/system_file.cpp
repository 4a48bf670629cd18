// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/system_file.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

namespace tailrace::inline TAILRACE_ABI::detail {

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file{path};
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>{file}, {}};
}

std::string_view next_word(std::string_view& text) {
  constexpr std::string_view blanks = " \t\n";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

std::optional<std::uint64_t> number(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> number_in(const std::string& file, const ReadFile& read) {
  const auto text = read(file);
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  return number(next_word(rest));
}

std::optional<std::uint64_t> number_behind(std::string_view key, std::string_view text) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (next_word(line) == key) return number(next_word(line));
  }
  return std::nullopt;
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
