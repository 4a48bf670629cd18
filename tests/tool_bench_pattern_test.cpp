// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tool/bench/pattern.hpp"

#include <tailrace/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace tailrace::tool {
namespace {

using testing::HasSubstr;

std::vector<std::byte> bytes_of(const Pattern& pattern, std::size_t first_word, std::size_t words) {
  std::vector<std::byte> bytes(words * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t word = pattern.word(first_word + i);
    std::memcpy(bytes.data() + i * sizeof word, &word, sizeof word);
  }
  return bytes;
}

template <class Check>
std::string message_of(Check&& check) {
  try {
    check();
  } catch (const Error& error) {
    EXPECT_EQ(error.errc(), Errc::copy_failed);
    EXPECT_THAT(error.what(), HasSubstr("Fix: "));
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Pattern, RightBytesPassWhereverTheyAreFrom) {
  const Pattern pattern = Pattern::of_sample(3);
  EXPECT_NO_THROW(check_bytes(pattern, "it", bytes_of(pattern, 0, 100), 0));
  EXPECT_NO_THROW(check_bytes(pattern, "it", bytes_of(pattern, 7, 100), 56));
  EXPECT_NO_THROW(check_bytes(pattern, "it", {}, 0));
  EXPECT_NO_THROW(check_ends(pattern, "it", bytes_of(pattern, 7, 100), 56));
}

TEST(Pattern, EveryWrongByteIsNamed) {
  const Pattern pattern = Pattern::of_sample(0);
  const std::vector<std::byte> right = bytes_of(pattern, 2, 4);
  for (std::size_t i = 0; i < right.size(); ++i) {
    std::vector<std::byte> wrong = right;
    wrong[i] ^= std::byte{0x10};
    EXPECT_THAT(message_of([&] { check_bytes(pattern, "the copy", wrong, 16); }),
                testing::AllOf(HasSubstr("the copy"), HasSubstr("for byte " + std::to_string(16 + i) + " of")));
  }
}

TEST(Pattern, BytesOfAnotherSampleOrPlaceAreWrong) {
  const Pattern pattern = Pattern::of_sample(1);
  for (const std::uint64_t other : {0U, 2U, 1000U}) {
    EXPECT_THROW(check_bytes(pattern, "it", bytes_of(Pattern::of_sample(other), 0, 1), 0), Error);
  }
  EXPECT_THROW(check_bytes(pattern, "it", bytes_of(pattern, 1, 1), 0), Error);
  EXPECT_THROW(check_bytes(pattern, "it", bytes_of(pattern, 0, 1), 8), Error);
}

TEST(Pattern, TheEndsAreCheckedAlone) {
  const Pattern pattern = Pattern::of_sample(1);
  const std::vector<std::byte> right = bytes_of(pattern, 0, 4);
  for (std::size_t i = 0; i < right.size(); ++i) {
    std::vector<std::byte> wrong = right;
    wrong[i] ^= std::byte{1};
    if (i < 8 || i >= 24)
      EXPECT_THROW(check_ends(pattern, "it", wrong, 0), Error) << i;
    else
      EXPECT_NO_THROW(check_ends(pattern, "it", wrong, 0)) << i;
  }
}

}  // namespace
}  // namespace tailrace::tool
