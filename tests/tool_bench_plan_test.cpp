// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tool/bench/plan.hpp"
#include "src/tool/bench/turns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <new>
#include <set>
#include <vector>

namespace tailrace::tool {
namespace {

using testing::HasSubstr;
using testing::Optional;

constexpr std::size_t plenty = std::numeric_limits<std::size_t>::max();

TEST(LargeSize, GrowsWithTheTimeThatThereIs) {
  EXPECT_EQ(plan_large_size(1, {plenty, plenty}).bytes, 16 * mebibyte);
  EXPECT_EQ(plan_large_size(5, {plenty, plenty}).bytes, 64 * mebibyte) << "a power of two";
  EXPECT_EQ(plan_large_size(20, {plenty, plenty}).bytes, 256 * mebibyte);
  EXPECT_EQ(plan_large_size(3600, {plenty, plenty}).bytes, most_large_bytes);
  EXPECT_EQ(plan_large_size(1, {plenty, plenty}).note, std::nullopt);
}

TEST(LargeSize, LeavesMemoryToOthersAndSaysSo) {
  EXPECT_EQ(plan_large_size(20, {512 * mebibyte, 2048 * mebibyte}).bytes, 256 * mebibyte);
  EXPECT_EQ(plan_large_size(20, {512 * mebibyte, 2048 * mebibyte}).note, std::nullopt);
  const LargeSize little_device = plan_large_size(20, {100 * mebibyte, plenty / 2});
  EXPECT_EQ(little_device.bytes, 32 * mebibyte);
  EXPECT_THAT(little_device.note, Optional(HasSubstr("100.00 MiB of device memory are free")));
  EXPECT_EQ(plan_large_size(20, {plenty, 800 * mebibyte}).bytes, 64 * mebibyte);
  EXPECT_EQ(plan_large_size(20, {0, 0}).bytes, least_large_bytes) << "the attempt will tell";
}

TEST(SlotSize, LetsALargeReadUseEverySlotAgain) {
  EXPECT_EQ(plan_slot_size(most_large_bytes), most_slot_bytes);
  EXPECT_EQ(plan_slot_size(16 * mebibyte), 2 * mebibyte);
  EXPECT_EQ(2 * plan_slot_size(least_large_bytes) * large_slots, least_large_bytes);
}

TEST(AsLargeAsPossible, HalvesUntilThereIsMemory) {
  std::vector<std::size_t> asked;
  const auto made = make_as_large_as_possible(8 * mebibyte, [&](std::size_t bytes) {
    asked.push_back(bytes);
    if (asked.size() == 1) throw std::bad_alloc{};
    if (asked.size() == 2) throw Error{Errc::out_of_pinned_memory, "none", "none"};
    return bytes;
  });
  EXPECT_EQ(made, 2 * mebibyte);
  EXPECT_THAT(asked, testing::ElementsAre(8 * mebibyte, 4 * mebibyte, 2 * mebibyte));
}

TEST(AsLargeAsPossible, GivesUpAtTheLeastSizeAndForOtherFailures) {
  unsigned calls = 0;
  const auto fail = [&](std::size_t) -> int {
    ++calls;
    throw std::bad_alloc{};
  };
  EXPECT_THROW(make_as_large_as_possible(4 * least_large_bytes, fail), std::bad_alloc);
  EXPECT_EQ(calls, 3U);
  const auto lose = [](std::size_t) -> int { throw Error{Errc::device_lost, "lost", "none"}; };
  EXPECT_THROW(make_as_large_as_possible(4 * least_large_bytes, lose), Error);
}

TEST(Turns, TakeAllWaysInTurnAndDoNotCountTheFirst) {
  std::vector<int> order;
  std::set<std::uint64_t> patterns;
  std::array ways{Way{{}, [&](const Pattern&) { return static_cast<double>(order.emplace_back(1)); }},
                  Way{{}, [&](const Pattern&) { return static_cast<double>(order.emplace_back(2)); }}};
  unsigned turns = 0;
  // The time is over already: only the least number of turns is made.
  take_turns(
      ways, [&](const Pattern& pattern) { patterns.insert(pattern.first); }, TimeBudget::Clock::time_point::min(),
      [&] { ++turns; });
  EXPECT_THAT(order, testing::ElementsAre(1, 2, 1, 2, 1, 2, 1, 2));
  EXPECT_EQ(turns, 1 + least_turns);
  EXPECT_EQ(patterns.size(), 8U) << "a pattern of its own for every sample";
  EXPECT_THAT(ways[0].figure.samples, testing::ElementsAre(1, 1, 1));
  EXPECT_THAT(ways[1].figure.samples, testing::ElementsAre(2, 2, 2));
}

TEST(Turns, GoOnAsLongAsThereIsTime) {
  constexpr unsigned enough = 10;
  // A day for turns that take no time: the way that is measured ends it, with the exception that a failure would be.
  struct Enough {};
  unsigned samples = 0;
  std::array ways{Way{{}, [&](const Pattern&) {
                        if (++samples == enough) throw Enough{};
                        return 1.0;
                      }}};
  const TimeBudget budget{std::chrono::hours{24}};
  EXPECT_THROW(take_turns(ways, [](const Pattern&) {}, budget.share(1), [] {}), Enough);
  EXPECT_EQ(ways[0].figure.samples.size(), enough - 2);
}

TEST(TimeBudget, SharesWhatIsLeft) {
  const TimeBudget budget{std::chrono::hours{10}};
  const auto half = budget.share(0.5);
  EXPECT_LT(half, TimeBudget::Clock::now() + std::chrono::hours{6});
  EXPECT_GT(half, TimeBudget::Clock::now() + std::chrono::hours{4});
}

}  // namespace
}  // namespace tailrace::tool
