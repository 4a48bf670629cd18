// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/ring_set.hpp>

#include "tests/support/ring_fault.hpp"

namespace {

using namespace test;
using tailrace::DriverCall;
using tailrace::RingSet;

using RingSetFault = RingFaultTest;

TEST_F(RingSetFault, ARingIsIdleAgainWhenItsQuarantineIsOver) {
  constexpr std::size_t page = 4096;
  RingSet set{tailrace::Device{0}, {.slots_per_ring = 2, .pinned_budget = 4 * page, .lanes = 1}};
  Hold hold{stream};
  const Ticket failed = set.submit(view(), stream);
  faults::fail_call(DriverCall::event_query, 1);
  EXPECT_EQ(errc_of([&] { return set.collect(failed); }), Errc::copy_failed);
  const auto make_room = [&] { static_cast<void>(set.ring_for(2 * page)); };
  EXPECT_EQ(errc_of(make_room), Errc::budget_exceeded);
  hold.release();
  // No ticket is left by which anybody could ask whether the copy is over.
  EXPECT_TRUE(eventually([&] { return !errc_of(make_room); }));
  EXPECT_EQ(set.rings(), 1U);
}

TEST_F(RingSetFault, ADeviceThatIsLostBeforeThereIsARingIsToldOfAndNotTriedAgain) {
  RingSet set{tailrace::Device{0}, {.log = log.handler()}};
  faults::fail_call(DriverCall::stream_create, 1, faults::Failure::sticky);
  EXPECT_EQ(errc_of([&] { return set.submit(view(), stream); }), Errc::device_lost);
  const std::uint64_t calls = faults::calls();
  const auto again = error_of([&] { return set.submit(view(), stream); });
  ASSERT_TRUE(again);
  EXPECT_EQ(again->errc(), Errc::device_lost);
  EXPECT_NE(std::string{again->what()}.find("driver call stream_create"), std::string::npos) << again->what();
  EXPECT_EQ(faults::calls(), calls);
  EXPECT_EQ(log.messages().size(), 1U);
  EXPECT_EQ(set.pinned_bytes(), 0U);
}

TEST_F(RingSetFault, ADeviceThatIsLostIsNoQuestionOfTheBudget) {
  constexpr std::size_t page = 4096;
  RingSet set{tailrace::Device{0}, {.slots_per_ring = 2, .pinned_budget = 4 * page, .lanes = 1, .log = log.handler()}};
  static_cast<void>(set.collect(set.submit(view(), stream)));
  faults::fail_call(DriverCall::pinned_free, 1, faults::Failure::sticky);  // of the idle ring, to make room
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(errc_of([&] { static_cast<void>(set.ring_for(2 * page)); }), Errc::device_lost);
  }
  EXPECT_EQ(log.messages().size(), 1U);
  EXPECT_EQ(set.pinned_bytes(), 2 * page);  // not given back
}

}  // namespace
