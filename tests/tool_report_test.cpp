// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tool/compare.hpp"
#include "src/tool/frame_directory.hpp"
#include "src/tool/input_error.hpp"
#include "src/tool/options.hpp"
#include "src/tool/progress.hpp"
#include "src/tool/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace tailrace::tool;
using testing::HasSubstr;
using testing::Optional;

TEST(Table, AlignsTheFirstColumnLeftAndTheOthersRight) {
  EXPECT_EQ(format_table({{"", "a", "long"}, {"name", "100", "2"}, {"x"}}),
            "        a  long\n"
            "name  100     2\n"
            "x\n");
}

TEST(Table, NumbersAreReadable) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
  EXPECT_EQ(fixed(2.346, 2), "2.35");
  EXPECT_EQ(binary_size(1023), "1023 bytes");
  EXPECT_EQ(binary_size(std::uint64_t{3} << 29U), "1.50 GiB");
}

TEST(Size, IsReadStrictly) {
  const auto size = parse_size("640x480");
  ASSERT_TRUE(size);
  EXPECT_EQ(size->width, 640U);
  EXPECT_EQ(size->height, 480U);
  EXPECT_TRUE(parse_size("32768x32768"));
  for (const char* text : {"", "x", "640", "640x", "x480", "640x480x3", "640X480", "-3x3", " 3x3", "3x3 ", "2x3", "3x2",
                           "0x0", "32769x32768", "99999999999999999999x3", "4294967296x4294967296"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(ProgressLine, FitsItsColumns) {
  EXPECT_EQ(progress_line("run", 50, 100, "123 steps/s", 40), "run [#######........]  50 %  123 steps/s");
  EXPECT_EQ(progress_line("run", 100, 100, "", 20), "run [########] 100 %");
  for (const std::size_t columns : {0U, 5U, 20U, 30U, 80U, 500U}) {
    for (const std::uint64_t done : {0U, 1U, 100U, 200U}) {
      EXPECT_LE(progress_line("run", done, 100, "1000000000 steps/s", columns).size(), columns);
    }
  }
}

TEST(Progress, IsDrawnOnATerminalAndTakenAway) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  std::FILE* stream = std::fopen(ptsname(terminal), "w");
  ASSERT_NE(stream, nullptr);
  {
    Progress{"run", 10, stream}.update(5);
  }
  std::fclose(stream);
  std::string text;
  std::array<char, 512> part{};
  // Ends with an error once everything is read, since nobody has the other side open.
  for (ssize_t length; (length = read(terminal, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(length));
  }
  close(terminal);
  EXPECT_THAT(text, testing::StartsWith("\rrun ["));
  EXPECT_THAT(text, testing::EndsWith("\r\33[K"));
}

TEST(Progress, IsSilentElsewhere) {
  std::FILE* stream = std::tmpfile();
  ASSERT_NE(stream, nullptr);
  {
    Progress{"run", 10, stream}.update(5);
  }
  EXPECT_EQ(std::ftell(stream), 0);
  std::fclose(stream);
}

TEST(CompareResiduals, NamesTheFirstStepThatDiffers) {
  const std::vector<double> values{3, 2, 1};
  EXPECT_EQ(compare_residuals(values, values), std::nullopt);
  EXPECT_THAT(compare_residuals(values, std::vector<double>{3, 2, 1.0000000000000002}), Optional(HasSubstr("step 3")));
  EXPECT_THAT(compare_residuals(values, std::vector<double>{3, 2}), Optional(HasSubstr("3 residuals")));
  EXPECT_THAT(compare_residuals(std::vector<double>{0.0}, std::vector<double>{-0.0}), Optional(HasSubstr("step 1")))
      << "equal numbers, but not equal bits";
}

TEST(CheckResidualsChange, NamesTheFirstStepWithoutChange) {
  EXPECT_EQ(check_residuals_change(std::vector<double>{3, 2, 3}), std::nullopt);
  EXPECT_THAT(check_residuals_change(std::vector<double>{3, 2, 2}), Optional(HasSubstr("step 3")));
  EXPECT_THAT(check_residuals_change(std::vector<double>{1, 0, 0}), Optional(HasSubstr("no longer change")));
}

TEST(CompareFrames, NamesTheFirstFrameThatDiffers) {
  const FrameDirectory directory{std::filesystem::path{}};
  const Grid grid{3, 3, {0, 1, 2, 3, 4, 5, 6, 7, 8}};
  const RunPlan plan{tailrace::Device{0}, grid, {3, 3, 0.0F, 8.0F}, 25, 10};
  std::vector<float> field = grid.cells;
  for (const std::uint64_t step : {10U, 20U}) write_frame(frame_path(directory.blocking(), step), plan.format, field);
  write_frame(frame_path(directory.overlapped(), 10), plan.format, field);
  const auto compare = [&] { return compare_frames(plan, directory.blocking(), directory.overlapped()); };
  EXPECT_THAT(compare(), Optional(HasSubstr("step 20 is missing in the overlapped run")));
  field[4] = std::nextafter(field[4], 5.0F);  // the same shade of grey
  write_frame(frame_path(directory.overlapped(), 20), plan.format, field);
  EXPECT_THAT(compare(), Optional(HasSubstr("step 20 differs")));
  write_frame(frame_path(directory.overlapped(), 20), plan.format, grid.cells);
  EXPECT_EQ(compare(), std::nullopt);
}

TEST(FrameDirectory, IsRemovedIfItIsTemporary) {
  std::filesystem::path root;
  {
    const FrameDirectory directory{std::filesystem::path{}};
    root = directory.blocking().parent_path();
    EXPECT_TRUE(std::filesystem::is_directory(directory.overlapped()));
  }
  EXPECT_FALSE(std::filesystem::exists(root));
}

TEST(FrameDirectory, ThatCannotBeMadeIsRefused) { EXPECT_THROW(FrameDirectory{"/dev/null/frames"}, InputError); }

}  // namespace
