// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// The end of a ring some of whose copies failed.

#include "tests/support/ring_fault.hpp"

#include <atomic>

namespace {

using namespace test;
using faults::fail_call;
using faults::fail_calls;
using std::chrono::milliseconds;
using tailrace::DriverCall;

using RingCloseFault = RingFaultTest;

TEST_F(RingCloseFault, ARingThatEndsWithOneOfEachStateReleasesEveryWaiterOnceAndItsMemoryLast) {
  std::optional<ReadbackRing> ring{make(4)};
  const auto before = faults::resources();
  const Ticket ready = submit(*ring, 1);
  EXPECT_EQ(ring->wait(ready), SlotState::ready);
  Hold hold{stream};
  submit(*ring, 2);
  fail_call(DriverCall::event_query, 1);
  ring->poll();
  const Ticket pending = submit(*ring, 3);
  submit(*ring, 4);
  EXPECT_EQ(errc_of([&] { return ring->submit(view(), stream); }), Errc::slot_ready);
  std::atomic<int> closed{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      if (errc_of([&] { return ring->submit_for(view(), stream, hang_guard); }) == Errc::closed) ++closed;
    });
  }
  EXPECT_TRUE(eventually([&] { return errc_of([&] { return ring->submit(view(), stream); }) == Errc::slot_promised; }));
  EXPECT_FALSE(ring->close(milliseconds{0}).drained);
  threads.clear();
  EXPECT_EQ(closed, 3);
  EXPECT_EQ(ring->state(pending), SlotState::pending);
  threads.emplace_back([&] { ring.reset(); });
  EXPECT_EQ(faults::resources().pinned_bytes, before.pinned_bytes);
  hold.release();
  threads.clear();
  EXPECT_LT(faults::resources().pinned_bytes, before.pinned_bytes);
  ASSERT_EQ(log.messages().size(), 1U);
  EXPECT_EQ(log.messages()[0].find("are kept"), std::string::npos);
}

TEST_F(RingCloseFault, AQueryThatAlwaysFailsEndsCloseAtItsBoundAndKeepsTheMemory) {
  {
    RingOptions made = options(2);
    made.close_bound = milliseconds{5};
    ReadbackRing ring{tailrace::Device{0}, made};
    submit(ring, 1);
    fail_calls(DriverCall::event_query);
    const auto report = ring.close(milliseconds{5});
    EXPECT_FALSE(report.drained);
    EXPECT_EQ(report.failed, 1U);
    EXPECT_EQ(report.in_flight, 1U);
  }
  ASSERT_EQ(log.messages().size(), 1U);
  EXPECT_NE(log.messages()[0].find("are kept"), std::string::npos);
}

}  // namespace
