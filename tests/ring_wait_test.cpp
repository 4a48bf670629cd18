// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Polling and waiting: three outcomes, no deadline missed, nothing changed by looking.

#include "tests/support/ring.hpp"

#include <atomic>

namespace {

using namespace test;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using tailrace::WaitMode;

class RingWait : public RingTest {
 protected:
  ReadbackRing make_with(WaitMode mode) {
    RingOptions made = options(4);
    made.wait_mode = mode;
    return ReadbackRing{tailrace::Device{0}, made};
  }
};

TEST_F(RingWait, EndsWhenTheCopyIsOverInBothModes) {
  for (const WaitMode mode : {WaitMode::sleep, WaitMode::spin}) {
    ReadbackRing ring = make_with(mode);
    Hold hold{stream};
    const Ticket ticket = submit(ring, 1);
    std::atomic<bool> waiting{false};
    std::jthread waiter{[&] {
      waiting = true;
      EXPECT_EQ(ring.wait(ticket), SlotState::ready);
    }};
    EXPECT_TRUE(eventually([&] { return waiting.load(); }));
    hold.release();
    waiter.join();
    EXPECT_EQ(value_of(ring, ticket), 1U);
  }
}

TEST_F(RingWait, ForATimeEndsNearItsDeadlineAndChangesNothing) {
  for (const WaitMode mode : {WaitMode::sleep, WaitMode::spin}) {
    ReadbackRing ring = make_with(mode);
    Hold hold{stream};
    const Ticket ticket = submit(ring, 1);
    EXPECT_EQ(ring.wait_for(ticket, milliseconds{0}), SlotState::pending);
    EXPECT_EQ(ring.wait_for(ticket, -std::chrono::hours{1}), SlotState::pending);
    const auto start = steady_clock::now();
    EXPECT_EQ(ring.wait_for(ticket, milliseconds{50}), SlotState::pending);
    const auto took = steady_clock::now() - start;
    EXPECT_GE(took, milliseconds{50});
    EXPECT_LT(took, hang_guard / 2);
    EXPECT_EQ(ring.state(ticket), SlotState::pending);
    hold.release();
    EXPECT_EQ(ring.wait_for(ticket, std::chrono::nanoseconds::max()), SlotState::ready);
    EXPECT_EQ(value_of(ring, ticket), 1U);
  }
}

TEST_F(RingWait, ConsumesNothing) {
  ReadbackRing ring = make(2);
  const Ticket ticket = submit(ring, 1);
  for (int again = 0; again < 10; ++again) {
    EXPECT_EQ(ring.wait(ticket), SlotState::ready);
    EXPECT_EQ(ring.state(ticket), SlotState::ready);
    ring.poll();
  }
  EXPECT_EQ(value_of(ring, ticket), 1U);
}

TEST_F(RingWait, AProgramThatOnlyLooksAtOneTicketSeesItReady) {
  ReadbackRing ring = make(2);
  const Ticket by_state = submit(ring, 1);
  EXPECT_TRUE(eventually([&] { return ring.state(by_state) == SlotState::ready; }));
  const Ticket by_try = submit(ring, 2);
  EXPECT_TRUE(eventually([&] { return ring.try_collect(by_try).has_value(); }));
}

TEST_F(RingWait, PollMovesEveryFinishedSlotAndCounts) {
  ReadbackRing ring = make(8);
  Stream other;
  std::vector<Ticket> tickets;
  for (std::uint64_t i = 0; i < 3; ++i) tickets.push_back(submit(ring, i));
  std::size_t moved = 0;
  EXPECT_TRUE(eventually([&] { return (moved += ring.poll()) == 3; }));
  Hold hold{stream};
  submit(ring, 3);
  EXPECT_EQ(ring.poll(), 0U);
  for (const Ticket& ticket : tickets) EXPECT_EQ(ring.state(ticket), SlotState::ready);
}

TEST_F(RingWait, AnIdleRingIsPolledWithoutADriverCall) {
  ReadbackRing ring = make(4);
  value_of(ring, submit(ring, 1));
  const auto before = ring.statistics().calls;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(ring.poll(), 0U);
  EXPECT_EQ(ring.statistics().calls.count, before.count);
}

TEST_F(RingWait, ForAllWaitsForAll) {
  ReadbackRing ring = make(8);
  std::vector<Ticket> tickets;
  for (std::uint64_t i = 0; i < 8; ++i) tickets.push_back(submit(ring, i));
  EXPECT_EQ(ring.wait_all(tickets), 0U);
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(value_of(ring, tickets[i]), i);
  EXPECT_EQ(ring.wait_all({}), 0U);
}

TEST_F(RingWait, GoesOnBesideAStalledRing) {
  ReadbackRing stalled = make(2);
  ReadbackRing ring = make(2);
  Stream other;
  Hold hold{stream};
  const Ticket first = submit(stalled, 1);
  EXPECT_EQ(ring.collect(ring.submit({buffer.data(), word, word}, other)).size(), word);
  EXPECT_EQ(stalled.state(first), SlotState::pending);
}

TEST_F(RingWait, PollAndCollectGoOnWhileASubmissionWaitsForASlot) {
  ReadbackRing ring = make(2);
  const Ticket first = submit(ring, 1);
  const Ticket second = submit(ring, 2);
  std::jthread waiter{[&] { return ring.submit_for(view(), stream, hang_guard); }};
  EXPECT_TRUE(eventually([&] { return errc_of([&] { return ring.submit(view(), stream); }) == Errc::slot_promised; }));
  ring.poll();
  EXPECT_EQ(value_of(ring, second), 2U);
  EXPECT_EQ(value_of(ring, first), 1U);
}

}  // namespace
