// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tool/npy_read.hpp"
#include "tests/support/input_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace {

using namespace tailrace::tool;
using namespace test;
using ::testing::HasSubstr;

TEST(NpyRead, EveryFormatVersionIsRead) {
  for (const char major : {'\1', '\2', '\3'}) {
    const Grid grid = read_npy("", bytes_of(npy(npy_header(), major)));
    EXPECT_EQ(grid.width, 3U);
    EXPECT_EQ(grid.cells[8], 8.0F);
  }
  EXPECT_THAT(refusal(read_npy, npy(npy_header(), '\4')), HasSubstr("version 4.0"));
  EXPECT_THAT(refusal(read_npy, npy(npy_header(), '\0')), HasSubstr("version 0.0"));
}

TEST(NpyRead, RowsAndColumnsAreNotExchanged) {
  std::string wide = npy(npy_header("'<f4'", "False", "(3, 4)"));
  wide += std::string(3 * sizeof(float), '\0');
  const Grid grid = read_npy("", bytes_of(wide));
  EXPECT_EQ(grid.width, 4U);
  EXPECT_EQ(grid.height, 3U);
  EXPECT_EQ(grid.cells[4], 4.0F);
}

TEST(NpyRead, HeadersAsOtherProgramsWriteThemAreRead) {
  EXPECT_EQ(refusal(read_npy, npy(R"({"shape":(3,3,),"fortran_order":False,"descr":"<f4"})")), "");
}

TEST(NpyRead, OtherArraysAreRefusedByName) {
  EXPECT_THAT(refusal(read_npy, npy(npy_header("'<f8'"))), HasSubstr("'<f8'"));
  EXPECT_THAT(refusal(read_npy, npy(npy_header("'>f4'"))), HasSubstr("'>f4'"));
  EXPECT_THAT(refusal(read_npy, npy(npy_header("[('x', '<f4')]"))), HasSubstr("records"));
  EXPECT_THAT(refusal(read_npy, npy(npy_header("'<f4'", "True"))), HasSubstr("Fortran order"));
  EXPECT_THAT(refusal(read_npy, npy(npy_header("'<f4'", "False", "(9,)"))), HasSubstr("1 dimensions"));
  EXPECT_THAT(refusal(read_npy, npy(npy_header("'<f4'", "False", "()"))), HasSubstr("0 dimensions"));
  EXPECT_THAT(refusal(read_npy, npy(npy_header("'<f4'", "False", "(1, 3, 3)"))), HasSubstr("3 dimensions"));
}

TEST(NpyRead, AbsurdSizesAreRefusedBeforeMemoryIsTaken) {
  const auto of_shape = [](const char* shape) { return refusal(read_npy, npy(npy_header("'<f4'", "False", shape))); };
  EXPECT_THAT(of_shape("(0, 3)"), HasSubstr("cannot be computed on"));
  EXPECT_THAT(of_shape("(-3, 3)"), HasSubstr("expected a length"));
  EXPECT_THAT(of_shape("(4294967296, 4294967296)"), HasSubstr("cannot be computed on"));
  EXPECT_THAT(of_shape("(18446744073709551615, 18446744073709551615)"), HasSubstr("cannot be computed on"));
  EXPECT_THAT(of_shape("(99999999999999999999, 3)"), HasSubstr("64 bits"));
  EXPECT_THAT(of_shape("(30000, 30000)"), HasSubstr("truncated"));
}

TEST(NpyRead, EveryTruncationIsRefused) {
  for (const char major : {'\1', '\2'}) {
    const std::string whole = npy(npy_header(), major);
    for (std::size_t length = 6; length < whole.size(); ++length) {
      EXPECT_THAT(refusal(read_npy, whole.substr(0, length)), HasSubstr("truncated")) << length << " bytes";
    }
  }
}

TEST(NpyRead, MalformedHeadersAreRefused) {
  for (const char* header :
       {"", "{", "{}", "[]", "{'descr'}", "{'descr': '<f4}", "{'descr': '<f4', 'fortran_order': 0, 'shape': (3, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 3}", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3)} {}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3), 'more': 1}"}) {
    EXPECT_THAT(refusal(read_npy, npy(header)), HasSubstr("malformed")) << header;
  }
}

TEST(NpyRead, ARefusalQuotesAFileInShortAndWithoutItsControlCharacters) {
  const std::string zeros(50'000, '\0');
  const std::string entry = refusal(read_npy, npy("{'shape" + zeros + "': (3, 3)}"));
  EXPECT_THAT(entry, HasSubstr(R"(unknown entry 'shape\x00)"));
  EXPECT_LT(entry.size(), 500U);
  EXPECT_LT(refusal(read_npy, npy(npy_header("'" + zeros + "'"))).size(), 500U);
}

}  // namespace
