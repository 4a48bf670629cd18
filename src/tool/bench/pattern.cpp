// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "pattern.hpp"

#include <tailrace/error.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace tailrace::tool {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

std::string hexadecimal(std::byte value) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "0x%02x", std::to_integer<unsigned>(value));
  return text.data();
}

[[noreturn]] void throw_difference(std::string_view way, std::uint64_t found, std::uint64_t expected,
                                   std::size_t offset) {
  std::array<std::byte, word_bytes> is{};
  std::array<std::byte, word_bytes> should{};
  std::memcpy(is.data(), &found, word_bytes);
  std::memcpy(should.data(), &expected, word_bytes);
  const auto [wrong, right] = std::mismatch(is.begin(), is.end(), should.begin());
  throw Error{Errc::copy_failed,
              "wrong bytes: " + std::string{way} + " delivered " + hexadecimal(*wrong) + " instead of " +
                  hexadecimal(*right) + " for byte " +
                  std::to_string(offset + static_cast<std::size_t>(wrong - is.begin())) + " of the device memory",
              "look for memory errors of device and host in the system's log; if there are none, please report this, "
              "with the output of `tailrace info`"};
}

}  // namespace

void check_bytes(const Pattern& pattern, std::string_view way, std::span<const std::byte> bytes, std::size_t offset) {
  std::uint64_t expected = pattern.word(offset / word_bytes);
  for (std::size_t at = 0; at + word_bytes <= bytes.size(); at += word_bytes, expected += Pattern::step) {
    std::uint64_t found = 0;
    std::memcpy(&found, bytes.data() + at, word_bytes);
    if (found != expected) throw_difference(way, found, expected, offset + at);
  }
}

void check_ends(const Pattern& pattern, std::string_view way, std::span<const std::byte> bytes, std::size_t offset) {
  check_bytes(pattern, way, bytes.first(word_bytes), offset);
  check_bytes(pattern, way, bytes.last(word_bytes), offset + bytes.size() - word_bytes);
}

}  // namespace tailrace::tool
