// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/system_file.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace tailrace::detail {
namespace {

TEST(SystemFile, ThatIsNotThereIsNoError) {
  EXPECT_EQ(read_file("/proc/no such file"), std::nullopt);
  EXPECT_NE(read_file("/proc/self/stat").value_or(""), "");
}

TEST(SystemFile, IsReadWordByWord) {
  std::string_view text = "  one\ttwo\n";
  EXPECT_EQ(next_word(text), "one");
  EXPECT_EQ(next_word(text), "two");
  EXPECT_EQ(next_word(text), "");
}

TEST(SystemFile, HasANumberOnlyWhereAWholeWordIsOne) {
  EXPECT_EQ(number("42"), 42U);
  for (const char* word : {"", "max", "-1", "4k", "99999999999999999999"}) EXPECT_EQ(number(word), std::nullopt);
}

TEST(SystemFile, IsSearchedForAWholeKeyAtTheBeginningOfALine) {
  constexpr std::string_view text = "inactive_file 1\nactive_file 2\nMemAvailable:   300 kB\nfile active_file";
  EXPECT_EQ(number_behind("active_file", text), 2U);
  EXPECT_EQ(number_behind("MemAvailable:", text), 300U);
  EXPECT_EQ(number_behind("file", text), std::nullopt);
  EXPECT_EQ(number_behind("shmem", text), std::nullopt);
  EXPECT_EQ(number_behind("shmem", ""), std::nullopt);
}

}  // namespace
}  // namespace tailrace::detail
