// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/view.hpp>

#include "tests/support/device.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

namespace bench {

/// What is read back: device memory of several pieces, each word of which is another one. Readback i reads piece(i);
/// the number of pieces should have no common divisor with the slots that are read into, so that a slot's bytes of last
/// time are wrong ones.
class Source {
 public:
  Source(std::size_t bytes, std::size_t pieces)
      : words_{bytes / sizeof(Word)}, pieces_{pieces}, buffer_{bytes * pieces} {
    std::vector<Word> pattern(words_ * pieces_);
    for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = word(i);
    buffer_.upload(std::as_bytes(std::span{pattern}));
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return words_ * sizeof(Word); }
  [[nodiscard]] const std::byte* piece(std::size_t i) const noexcept {
    return static_cast<const std::byte*>(buffer_.data()) + i % pieces_ * bytes();
  }
  [[nodiscard]] tailrace::DeviceView view(std::size_t i) const noexcept { return {piece(i), bytes()}; }
  [[nodiscard]] const test::Buffer& buffer() const noexcept { return buffer_; }

  /// Reads the first and the last word of what readback i brought; cheap enough to be done within a measurement.
  /// @throws std::runtime_error if they are not those of piece(i)
  void check_ends(std::size_t i, const std::byte* bytes) const {
    check_word(i, bytes, 0);
    check_word(i, bytes, words_ - 1);
  }
  /// The same for every word.
  void check_all(std::size_t i, const std::byte* bytes) const {
    for (std::size_t at = 0; at < words_; ++at) check_word(i, bytes, at);
  }

 private:
  using Word = std::uint64_t;

  static constexpr Word word(std::size_t i) noexcept { return (i + 1) * 0x9e3779b97f4a7c15; }
  void check_word(std::size_t i, const std::byte* bytes, std::size_t at) const {
    Word found = 0;
    std::memcpy(&found, bytes + at * sizeof(Word), sizeof(Word));
    if (found != word(i % pieces_ * words_ + at)) throw std::runtime_error{"the bytes that arrived are wrong"};
  }

  std::size_t words_;
  std::size_t pieces_;
  test::Buffer buffer_;
};

}  // namespace bench
