// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tool/bench/large_reads.hpp"
#include "src/tool/bench/plan.hpp"
#include "src/tool/bench/small_reads.hpp"

#include <tailrace/error.hpp>
#include <tailrace/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace tailrace::tool {
namespace {

constexpr auto at_once = TimeBudget::Clock::time_point::min();  // the least number of turns

std::vector<std::string> names(const std::vector<Figure>& figures) {
  std::vector<std::string> found;
  for (const Figure& figure : figures) {
    found.push_back(figure.name);
    EXPECT_EQ(figure.samples.size(), least_turns) << figure.name;
    for (const double sample : figure.samples) EXPECT_GT(sample, 0) << figure.name;
    EXPECT_TRUE(figure.plain.empty() || find_figure(figures, figure.plain)) << figure.name;
  }
  return found;
}

TEST(PlainReader, ReadsWhatTheDeviceWrote) {
  const Pattern pattern = Pattern::of_sample(5);
  PlainReader reader{Device{0}, mebibyte};
  reader.write(pattern);
  reader.read_pinned();
  EXPECT_NO_THROW(check_bytes(pattern, "it", reader.pinned(), 0));
  std::vector<std::byte> part(4096);
  reader.read_blocking(part, 8192);
  EXPECT_NO_THROW(check_bytes(pattern, "it", part, 8192));
  reader.write(Pattern::of_sample(6));
  EXPECT_THROW(check_bytes(Pattern::of_sample(6), "it", reader.pinned(), 0), Error) << "these are older";
}

TEST(PlainReader, KnowsHowMuchIsFree) { EXPECT_GT(PlainReader::free_bytes(Device{0}), 0U); }

TEST(LargeReads, MeasureEveryWay) {
  LargeReads reads{Device{0}, 4 * mebibyte};
  EXPECT_EQ(reads.bytes(), 4 * mebibyte);
  unsigned turns = 0;
  EXPECT_THAT(names(reads.measure(at_once, [&] { ++turns; })),
              testing::ElementsAre("raw_pinned", "plain_pageable", "tailrace_pageable", "tailrace_ring"));
  EXPECT_EQ(turns, 1 + least_turns);
  EXPECT_EQ(reads.info().name, Device{0}.info().name);
}

TEST(SmallReads, MeasureRateAndLatency) {
  SmallReads reads{Device{0}};
  EXPECT_THAT(names(reads.measure_rate(at_once, [] {})),
              testing::ElementsAre("plain_small_rate", "tailrace_small_rate"));
  EXPECT_THAT(names(reads.measure_latency(at_once, [] {})),
              testing::ElementsAre("plain_small_latency", "tailrace_small_latency"));
}

#ifdef TAILRACE_BACKEND_HOST

TEST(PlainReader, SaysThatThereIsTooLittlePinnedMemory) {
  control::limit_pinned_bytes(mebibyte);
  EXPECT_THROW((PlainReader{Device{0}, 2 * mebibyte}), std::bad_alloc);
  EXPECT_NO_THROW((PlainReader{Device{0}, mebibyte}));
  control::limit_pinned_bytes(std::numeric_limits<std::size_t>::max());
}

TEST(LargeReads, AreSmallerWhereThereIsLessPinnedMemory) {
  control::limit_pinned_bytes(5 * mebibyte);  // a read, and a ring of half as much: 2 + 1, but not 4 + 2
  const auto reads = make_as_large_as_possible(
      8 * mebibyte, [](std::size_t bytes) { return std::make_unique<LargeReads>(Device{0}, bytes); });
  EXPECT_EQ(reads->bytes(), 2 * mebibyte);
  control::limit_pinned_bytes(std::numeric_limits<std::size_t>::max());
}

TEST(LargeReads, FailWithTheirCause) {
  LargeReads reads{Device{0}, mebibyte};
  control::fail_calls(DriverCall::copy);
  EXPECT_THROW(static_cast<void>(reads.measure(at_once, [] {})), Error);
  control::clear_failures();
}

#endif

}  // namespace
}  // namespace tailrace::tool
