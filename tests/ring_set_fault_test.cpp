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

}  // namespace
