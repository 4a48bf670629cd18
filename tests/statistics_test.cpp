// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/statistics.hpp>
#include <tailrace/testing.hpp>

#include "tests/support/ring.hpp"

#include <numeric>
#include <set>

namespace {

using namespace test;
using tailrace::DriverCall;
using tailrace::Statistics;

using RingStatistics = RingTest;

TEST_F(RingStatistics, CountWhatHappened) {
  ReadbackRing ring = make(4);
  Hold hold{stream};
  const Ticket first = submit(ring, 1);
  const Ticket second = submit(ring, 2);
  const Ticket third = submit(ring, 3);
  Statistics s = ring.statistics();
  EXPECT_EQ(s.submissions, 3U);
  EXPECT_EQ(s.bytes, 3 * word);
  EXPECT_EQ(s.outstanding, 3U);
  EXPECT_EQ(s.peak_in_flight, 3U);
  EXPECT_EQ(s.collected, 0U);
  hold.release();
  value_of(ring, first);
  value_of(ring, second);
  ring.discard(third);
  value_of(ring, submit(ring, 4));
  s = ring.statistics();
  EXPECT_EQ(s.submissions, 4U);
  EXPECT_EQ(s.collected, 3U);
  EXPECT_EQ(s.discarded, 1U);
  EXPECT_EQ(s.outstanding, 0U);
  EXPECT_EQ(s.errors, 0U);
  EXPECT_EQ(s.quarantined, 0U);
  EXPECT_EQ(s.peak_in_flight, 3U);
  EXPECT_EQ(s.submissions, s.collected + s.discarded + s.errors_collected + s.outstanding);
}

TEST_F(RingStatistics, CountDriverCallsByKind) {
  ReadbackRing ring = make(4);
  EXPECT_EQ(ring.statistics().calls[DriverCall::pinned_allocate], 1U);
  EXPECT_EQ(ring.statistics().calls[DriverCall::stream_create], 1U);
  const Statistics before = ring.statistics();
  value_of(ring, submit(ring, 1));
  const Statistics after = ring.statistics();
  const auto made = [&](DriverCall call) { return after.calls[call] - before.calls[call]; };
  EXPECT_EQ(made(DriverCall::copy), 1U);
  EXPECT_EQ(made(DriverCall::event_record), 2U);  // the producer edge and the completion mark
  EXPECT_EQ(made(DriverCall::stream_wait), 1U);
  EXPECT_GE(made(DriverCall::event_query), 1U);
  EXPECT_EQ(made(DriverCall::stream_synchronize), 0U);
}

TEST_F(RingStatistics, RestartAtZeroBehindTheirMaximumWithOneWarning) {
  tailrace::control::start_counters_at(~std::uint64_t{0} - 3);
  ReadbackRing ring = make(4);
  tailrace::control::start_counters_at(0);
  EXPECT_EQ(ring.statistics().submissions, ~std::uint64_t{0} - 3);
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(value_of(ring, submit(ring, i)), i);
  EXPECT_EQ(ring.statistics().submissions, 6U);
  EXPECT_EQ(ring.statistics().collected, 6U);
  EXPECT_EQ(ring.statistics().outstanding, 0U);
  ASSERT_EQ(log.messages().size(), 1U);
  EXPECT_NE(log.messages()[0].find("restarted at zero"), std::string::npos);
}

TEST_F(RingStatistics, AreToldOfWithoutALockSoThatTheHandlerMayUseTheRing) {
  tailrace::control::start_counters_at(~std::uint64_t{0});
  std::optional<ReadbackRing> ring;
  RingOptions made = options(4);
  int told = 0;
  made.log = [&](tailrace::LogLevel, std::string_view) {
    ++told;
    EXPECT_EQ(value_of(*ring, submit(*ring, 8)), 8U);
    EXPECT_TRUE(ring->close(std::chrono::seconds{0}).uncollected <= 1);
  };
  ring.emplace(tailrace::Device{0}, made);
  tailrace::control::start_counters_at(0);
  const Ticket ticket = submit(*ring, 7);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(value_of(*ring, ticket), 7U);
}

TEST(StatisticsSum, AddsUpAndTakesTheLargerPeak) {
  Statistics a;
  Statistics b;
  a.submissions = 1;
  b.submissions = 2;
  a.peak_in_flight = 7;
  b.peak_in_flight = 5;
  a.pinned_bytes = 10;
  b.pinned_bytes = 20;
  a.slab_bytes = 4;
  b.slab_bytes = 8;
  b.calls.count[static_cast<std::size_t>(DriverCall::copy)] = 3;
  a += b;
  EXPECT_EQ(a.submissions, 3U);
  EXPECT_EQ(a.peak_in_flight, 7U);
  EXPECT_EQ(a.pinned_bytes, 30U);
  EXPECT_EQ(a.slab_bytes, 12U);
  EXPECT_EQ(a.calls[DriverCall::copy], 3U);
}

TEST(StatisticsNames, AreThereForEveryKindOfDriverCall) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < tailrace::driver_call_kinds; ++i) names.insert(to_string(static_cast<DriverCall>(i)));
  EXPECT_EQ(names.size(), tailrace::driver_call_kinds);
  EXPECT_EQ(names.count("?"), 0U);
  EXPECT_EQ(to_string(static_cast<DriverCall>(tailrace::driver_call_kinds)), "?");
}

}  // namespace
