// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tool/frame.hpp"
#include "src/tool/input.hpp"
#include "src/tool/input_error.hpp"
#include "tests/support/input_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace tailrace::tool;
using namespace test;
using ::testing::HasSubstr;

const std::filesystem::path shipped = TAILRACE_SHIPPED_INPUT;

/// A directory that is gone after the test.
class InputFile : public ::testing::Test {
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
      EXPECT_THAT(error.what(), ::testing::AllOf(HasSubstr(path.string()), HasSubstr("Fix: ")));
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
