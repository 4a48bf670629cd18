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
  /// The same for the last word and one of every 16 KiB, which finds any part of a large readback that is missing if
  /// spoil_samples() has been there before.
  void check_samples(std::size_t i, const std::byte* bytes) const {
    for (std::size_t at = 0; at < words_; at += sample) check_word(i, bytes, at);
    check_word(i, bytes, words_ - 1);
  }
  /// Makes the words wrong that check_samples() reads.
  void spoil_samples(std::byte* bytes) const {
    for (std::size_t at = 0; at < words_; at += sample) std::memset(bytes + at * sizeof(Word), 0, sizeof(Word));
    std::memset(bytes + (words_ - 1) * sizeof(Word), 0, sizeof(Word));
  }
  /// The same for every word.
  void check_all(std::size_t i, const std::byte* bytes) const {
    const std::size_t first = first_word(i);
    Word wrong = 0;  // looked at in the end only: that is several times as fast for large ones
    for (std::size_t at = 0; at < words_; ++at) wrong |= load(bytes, at) ^ word(first + at);
    if (wrong != 0) fail();
  }

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t sample = 16384 / sizeof(Word);

  static constexpr Word word(std::size_t i) noexcept { return (i + 1) * 0x9e3779b97f4a7c15; }  // never zero
  static Word load(const std::byte* bytes, std::size_t at) noexcept {
    Word found = 0;
    std::memcpy(&found, bytes + at * sizeof(Word), sizeof(Word));
    return found;
  }
  [[noreturn]] static void fail() { throw std::runtime_error{"the bytes that arrived are wrong"}; }
  [[nodiscard]] std::size_t first_word(std::size_t i) const noexcept { return i % pieces_ * words_; }
  void check_word(std::size_t i, const std::byte* bytes, std::size_t at) const {
    if (load(bytes, at) != word(first_word(i) + at)) fail();
  }

  std::size_t words_;
  std::size_t pieces_;
  test::Buffer buffer_;
};

}  // namespace bench
