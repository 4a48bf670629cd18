// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

#include <tailrace/error.hpp>
#include <tailrace/ring_set.hpp>
#include <tailrace/self_test.hpp>

#include "tests/support/copies.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace {

using tailrace::capacity_class;
using tailrace::Errc;
using tailrace::parse_pinned_budget;
using tailrace::parse_ring_slots;
using tailrace::test::error_of;

constexpr std::size_t most = std::numeric_limits<std::size_t>::max();

struct Slots {
  std::optional<std::string_view> text;
  unsigned slots;
  bool warned;
};

/// Otherwise the tests' names would have the addresses of the texts.
void PrintTo(const Slots& slots, std::ostream* out) {
  *out << (slots.text ? testing::PrintToString(*slots.text) : "unset");
}

class RingSlotsSetting : public testing::TestWithParam<Slots> {};

TEST_P(RingSlotsSetting, IsParsedWithAWarningForWhatIsNotTakenAsItStands) {
  const auto [text, slots, warned] = GetParam();
  const tailrace::ParsedSlots parsed = parse_ring_slots(text);
  EXPECT_EQ(parsed.slots, slots);
  EXPECT_EQ(!parsed.warning.empty(), warned) << parsed.warning;
  if (!warned) return;
  EXPECT_NE(parsed.warning.find("Fix: "), std::string::npos) << parsed.warning;
  EXPECT_NE(parsed.warning.find(*text), std::string::npos) << parsed.warning;
}

INSTANTIATE_TEST_SUITE_P(Texts, RingSlotsSetting,
                         testing::Values(Slots{std::nullopt, 256, false}, Slots{"0", 2, true}, Slots{"1", 2, false},
                                         Slots{"2", 2, false}, Slots{"3", 3, false}, Slots{"256", 256, false},
                                         Slots{"257", 256, true}, Slots{"", 256, true},
                                         Slots{"99999999999999999999999", 256, true}, Slots{"-1", 256, true},
                                         Slots{"+4", 256, true}, Slots{"8 ", 256, true}, Slots{" 8", 256, true},
                                         Slots{"0x10", 256, true}, Slots{"8.0", 256, true}, Slots{"many", 256, true},
                                         Slots{std::string_view{"8\0", 2}, 256, true}));

TEST(PinnedBudgetSetting, IsAWholeNumberOfBytesOrHasOneSuffix) {
  EXPECT_EQ(parse_pinned_budget("1"), 1U);
  EXPECT_EQ(parse_pinned_budget("65536"), 65536U);
  EXPECT_EQ(parse_pinned_budget("3K"), 3U << 10);
  EXPECT_EQ(parse_pinned_budget("64M"), 64U << 20);
  EXPECT_EQ(parse_pinned_budget("5G"), std::size_t{5} << 30);
  EXPECT_EQ(parse_pinned_budget("1T"), std::size_t{1} << 40);
  EXPECT_EQ(parse_pinned_budget(std::to_string(most)), most);
}

TEST(PinnedBudgetSetting, IsRefusedIfItIsAnythingElse) {
  for (const std::string_view text :
       {"", "0", "0K", "K", "-1", "+1", " 1", "1 ", "1k", "1KB", "1KiB", "1.5G", "1e6", "0x10", "lots", "1GG",
        "18446744073709551616", "18446744073709551615K", "16777216T"}) {
    EXPECT_EQ(error_of([text] { static_cast<void>(parse_pinned_budget(text)); }), Errc::invalid_argument) << text;
  }
}

TEST(PinnedBudgetSetting, DefaultsToAPartOfTheMemoryThatEightProcessesCanHaveAtOnce) {
  const std::size_t budget = tailrace::default_pinned_budget();
  EXPECT_GE(budget, std::size_t{16} << 20);
  EXPECT_LE(budget, std::size_t{1} << 30);
  EXPECT_EQ(budget, tailrace::default_pinned_budget());
  const auto memory =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  EXPECT_LE(8 * budget, std::max(memory / 4, std::size_t{128} << 20));
}

TEST(SelfTestSetting, IsOneOrZeroAndUnsetIsZero) {
  EXPECT_TRUE(tailrace::parse_self_test("1"));
  EXPECT_FALSE(tailrace::parse_self_test("0"));
  EXPECT_FALSE(tailrace::parse_self_test(std::nullopt));
  for (const std::string_view text : {"", "2", "-1", " 1", "1 ", "01", "true", "yes", "on"}) {
    EXPECT_EQ(error_of([text] { static_cast<void>(tailrace::parse_self_test(text)); }), Errc::invalid_argument) << text;
  }
}

TEST(CapacityClass, IsTheLengthRoundedUpToPages) {
  EXPECT_EQ(capacity_class(0), 4096U);
  EXPECT_EQ(capacity_class(1), 4096U);
  EXPECT_EQ(capacity_class(16), 4096U);
  EXPECT_EQ(capacity_class(4096), 4096U);
  EXPECT_EQ(capacity_class(4097), 8192U);
  EXPECT_EQ(capacity_class(most - 4095), most - 4095);
}

TEST(CapacityClass, WastesLessThanOnePage) {
  for (std::size_t bytes = 1; bytes < 20000; bytes += 7) {
    ASSERT_GE(capacity_class(bytes), bytes);
    ASSERT_LT(capacity_class(bytes) - bytes, 4096U);
  }
}

TEST(CapacityClass, IsRefusedWhereItWouldOverflow) {
  EXPECT_EQ(error_of([] { static_cast<void>(capacity_class(most - 4094)); }), Errc::region_overflow);
  EXPECT_EQ(error_of([] { static_cast<void>(capacity_class(most)); }), Errc::region_overflow);
}

}  // namespace
