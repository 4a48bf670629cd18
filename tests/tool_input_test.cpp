// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tool/frame.hpp"
#include "src/tool/input.hpp"
#include "src/tool/input_error.hpp"
#include "src/tool/npy_read.hpp"
#include "src/tool/png_read.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace tailrace::tool;
using tailrace::Errc;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

const std::filesystem::path shipped = TAILRACE_SHIPPED_INPUT;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span{text}); }

/// What a reader says about content that it refuses; empty if it does not refuse it.
template <class Reader>
std::string refusal(Reader read, std::string_view content) {
  try {
    static_cast<void>(read("some file", bytes_of(content)));
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("\"some file\""), HasSubstr("Fix: "), EndsWith(".")));
    EXPECT_EQ(error.errc(), Errc::invalid_argument);
    return error.what();
  }
  return {};
}

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24U), static_cast<char>(value >> 16U), static_cast<char>(value >> 8U),
          static_cast<char>(value)};
}

std::string chunk(const std::string& kind, const std::string& data) {
  const std::string body = kind + data;
  const uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(static_cast<std::uint32_t>(crc));
}

/// A PNG file out of its parts, which need not fit each other. @p rows starts each row with its filter byte.
std::string png(std::uint32_t width, std::uint32_t height, char depth, char colour_type, const std::string& rows) {
  std::vector<Bytef> packed(compressBound(rows.size()));
  uLongf size = packed.size();
  compress(packed.data(), &size, reinterpret_cast<const Bytef*>(rows.data()), rows.size());
  const std::string header = big_endian(width) + big_endian(height) + std::string{depth, colour_type, '\0', '\0', '\0'};
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) +
         chunk("IDAT", {reinterpret_cast<const char*>(packed.data()), size}) + chunk("IEND", "");
}

std::string grey_3x3() { return png(3, 3, 8, 0, std::string{"\0\0\1\2\0\3\4\5\0\6\7\xFF", 12}); }

/// A .npy file out of its header text and nine floats, 0 to 8.
std::string npy(const std::string& header, char major = 1) {
  std::string file = "\x93NUMPY";
  file += {major, '\0'};
  file += static_cast<char>(header.size() & 0xFFU);
  file += static_cast<char>(header.size() >> 8U);
  if (major != 1) file += std::string(2, '\0');
  std::vector<float> values(9);
  std::iota(values.begin(), values.end(), 0.0F);
  return file + header + std::string{reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::string npy_header(const std::string& descr = "'<f4'", const std::string& order = "False",
                       const std::string& shape = "(3, 3)") {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }   \n";
}

/// A directory that is gone after the test.
class InputFile : public testing::Test {
 protected:
  InputFile() {
    std::string name = (std::filesystem::temp_directory_path() / "tailrace-input-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~InputFile() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path write(const std::string& name, std::string_view content) const {
    std::ofstream{directory_ / name, std::ios::binary} << content;
    return directory_ / name;
  }
  static std::string refusal_of(const std::filesystem::path& path) {
    try {
      static_cast<void>(read_input(path));
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(path.string()), HasSubstr("Fix: ")));
      return error.what();
    }
    return {};
  }

  std::filesystem::path directory_;
};

TEST(ShippedInput, BothFilesHoldTheSameTerrain) {
  const Grid picture = read_input(shipped / "terrain.png");
  const Grid metres = read_input(shipped / "terrain.npy");
  ASSERT_EQ(picture.width, 403U);
  ASSERT_EQ(picture.height, 344U);
  ASSERT_EQ(metres.width, 135U);
  ASSERT_EQ(metres.height, 115U);
  for (std::size_t y = 0; y < metres.height; ++y) {
    for (std::size_t x = 0; x < metres.width; ++x) {
      const float height = 236.0F + 840.0F * picture.cells[3 * y * picture.width + 3 * x];
      ASSERT_NEAR(metres.cells[y * metres.width + x], height, 0.01F) << "row " << y << ", column " << x;
    }
  }
}

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

TEST_F(InputFile, IsRefusedIfItCannotBeRead) {
  EXPECT_THAT(refusal_of(directory_ / "missing.png"), HasSubstr("no such file"));
  EXPECT_THAT(refusal_of(directory_), HasSubstr("not a regular file"));
  EXPECT_THAT(refusal_of("/dev/zero"), HasSubstr("not a regular file"));
  EXPECT_THAT(refusal_of(write("empty.png", "")), HasSubstr("empty"));
  EXPECT_THAT(refusal_of(write("text.png", "hello")), HasSubstr("neither a PNG nor a .npy file"));
}

TEST_F(InputFile, IsToldByItsContentAndNotByItsName) {
  EXPECT_EQ(read_input(write("picture.npy", grey_3x3())).cells[8], 1.0F);
  EXPECT_EQ(read_input(write("array.png", npy(npy_header()))).cells[8], 8.0F);
}

TEST_F(InputFile, IsRefusedForTemperaturesThatCannotBeComputedWith) {
  std::string content = npy(npy_header());
  const auto with_first = [&](float value) {
    std::memcpy(content.data() + content.size() - 9 * sizeof(float), &value, sizeof value);
    return refusal_of(write("array.npy", content));
  };
  EXPECT_THAT(with_first(std::numeric_limits<float>::quiet_NaN()), HasSubstr("row 0, column 0 holds nan"));
  EXPECT_THAT(with_first(-std::numeric_limits<float>::infinity()), HasSubstr("-inf"));
  EXPECT_THAT(with_first(3e38F), HasSubstr("row 0, column 0"));
  EXPECT_EQ(with_first(-1e30F), "");
  EXPECT_THAT(refusal_of(write("flat.png", png(3, 3, 8, 0, std::string(12, '\0')))), HasSubstr("same temperature"));
}

TEST(Resample, KeepsCornersAndRange) {
  const Grid grid = read_input(shipped / "terrain.npy");
  const Grid large = resample(grid, 1000, 700);
  EXPECT_EQ(large.cells.front(), grid.cells.front());
  EXPECT_EQ(large.cells.back(), grid.cells.back());
  EXPECT_EQ(large.cells[999], grid.cells[134]);
  EXPECT_LE(std::ranges::max(large.cells), std::ranges::max(grid.cells));
  EXPECT_GE(std::ranges::min(large.cells), std::ranges::min(grid.cells));
}

TEST(Resample, IsExactOnPlanes) {
  Grid plane{3, 3, {0, 1, 2, 10, 11, 12, 20, 21, 22}};
  const Grid fine = resample(plane, 5, 9);
  for (std::size_t y = 0; y < 9; ++y) {
    for (std::size_t x = 0; x < 5; ++x) {
      EXPECT_FLOAT_EQ(fine.cells[y * 5 + x], 0.5F * static_cast<float>(x) + 2.5F * static_cast<float>(y));
    }
  }
}

TEST_F(InputFile, AFrameCanBeReadAgain) {
  const FrameFormat format{4, 3, -1.0F, 1.0F};
  const std::vector<float> field{-1, 1, 0, 0.5F, -2, 2, 0, 0, 0, 0, 0, 0};
  const std::filesystem::path path = frame_path(directory_, 50);
  EXPECT_EQ(path.filename(), "frame-00000050.png");
  write_frame(path, format, field);
  const Grid grid = read_input(path);
  EXPECT_EQ(grid.width, 4U);
  EXPECT_EQ(grid.cells[0], 0.0F);
  EXPECT_EQ(grid.cells[1], 1.0F);
  EXPECT_EQ(grid.cells[2], 128.0F / 255.0F);
  EXPECT_EQ(grid.cells[4], 0.0F) << "colder than black";
  EXPECT_EQ(grid.cells[5], 1.0F) << "hotter than white";
}

TEST_F(InputFile, AFrameThatCannotBeWrittenIsAnError) {
  const FrameFormat format{64, 64, 0.0F, 1.0F};
  const std::vector<float> field(64 * 64);
  EXPECT_THROW(write_frame(directory_ / "missing" / "frame.png", format, field), tailrace::Error);
  EXPECT_THROW(write_frame("/dev/full", format, field), tailrace::Error);
}

}  // namespace
