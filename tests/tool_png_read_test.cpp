// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tool/png_read.hpp"
#include "tests/support/input_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace {

using namespace tailrace::tool;
using namespace test;
using ::testing::HasSubstr;

TEST(PngRead, GreyOf8BitsSpansZeroToOne) {
  const Grid grid = read_png("", bytes_of(grey_3x3()));
  EXPECT_EQ(grid.width, 3U);
  EXPECT_EQ(grid.cells[7], 7.0F / 255.0F);
  EXPECT_EQ(grid.cells[8], 1.0F);
}

TEST(PngRead, GreyOf16BitsIsReadInFull) {
  std::string rows;
  for (int y = 0; y < 3; ++y) rows += std::string{"\0\1\2\xFF\xFF\0\0", 7};
  const Grid grid = read_png("", bytes_of(png(3, 3, 16, 0, rows)));
  EXPECT_EQ(grid.cells[0], 258.0F / 65535.0F);
  EXPECT_EQ(grid.cells[1], 1.0F);
}

TEST(PngRead, OtherKindsAreRefusedByName) {
  const std::string rows(4 * (1 + 4 * 4 * 2), '\0');
  EXPECT_THAT(refusal(read_png, png(4, 4, 8, 2, rows)), HasSubstr("colour, 8 bits"));
  EXPECT_THAT(refusal(read_png, png(4, 4, 8, 4, rows)), HasSubstr("grey with transparency"));
  EXPECT_THAT(refusal(read_png, png(4, 4, 16, 6, rows)), HasSubstr("colour with transparency"));
  EXPECT_THAT(refusal(read_png, png(4, 4, 4, 0, rows)), HasSubstr("grey, 4 bits"));
}

TEST(PngRead, SizesThatCannotBeAreRefusedBeforeMemoryIsTaken) {
  EXPECT_THAT(refusal(read_png, png(2, 300, 8, 0, "")), HasSubstr("2 x 300"));
  EXPECT_THAT(refusal(read_png, png(900'000, 900'000, 8, 0, "")), HasSubstr("900000 x 900000"));
  EXPECT_THAT(refusal(read_png, png(30'000, 30'000, 16, 0, "")), HasSubstr("cannot hold"));
}

TEST(PngRead, EveryTruncationIsRefused) {
  const std::string whole = grey_3x3();
  for (std::size_t length = 8; length < whole.size(); ++length) {
    EXPECT_THAT(refusal(read_png, whole.substr(0, length)), HasSubstr("damaged")) << length << " bytes";
  }
  EXPECT_EQ(refusal(read_png, whole), "");
}

TEST(PngRead, DamageIsRefusedOrHarmless) {
  const std::string whole = grey_3x3();
  for (std::size_t position = 8; position < whole.size(); ++position) {
    for (const int flip : {0x01, 0x20, 0x80, 0xFF}) {
      std::string damaged = whole;
      damaged[position] = static_cast<char>(damaged[position] ^ flip);
      // An unknown chunk name may make a chunk that is ignored; everything else is caught by a checksum.
      static_cast<void>(refusal(read_png, damaged));
    }
  }
}

}  // namespace
