// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// The two steps: record() puts the copy on the caller's own stream, arm() makes it collectable.

#include "tests/support/ring.hpp"

#include <thread>

namespace {

using namespace test;
using tailrace::DriverCall;

using RingRecord = RingTest;

TEST_F(RingRecord, OneArmCoversManyRecords) {
  ReadbackRing ring = make(8);
  std::vector<Ticket> tickets;
  for (std::uint64_t i = 0; i < 5; ++i) {
    stamp(buffer, 0, 1, i, stream);
    tickets.push_back(ring.record(view(), stream));
  }
  const std::uint64_t before = ring.statistics().calls[DriverCall::event_record];
  ring.arm(tickets, stream);
  EXPECT_EQ(ring.statistics().calls[DriverCall::event_record], before + 1);
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(value_of(ring, tickets[i]), i);
}

TEST_F(RingRecord, OfZeroBytesNeedsNoArmingAndDoesNotHinderIt) {
  ReadbackRing ring = make(4);
  stamp(buffer, 0, 1, 7, stream);
  const Ticket empty = ring.record({buffer.data(), 0}, stream);
  const Ticket full = ring.record(view(), stream);
  EXPECT_EQ(ring.state(empty), SlotState::ready);
  ring.arm(std::vector{empty, full}, stream);
  EXPECT_EQ(value_of(ring, full), 7U);
  EXPECT_TRUE(ring.collect(empty).empty());
}

TEST_F(RingRecord, GroupsOfOneStreamAreAskedInTurn) {
  ReadbackRing ring = make(16);
  Hold hold{stream};
  std::vector<Ticket> tickets;
  for (std::uint64_t i = 0; i < 8; ++i) {
    tickets.push_back(ring.record(view(), stream));
    ring.arm(tickets.back(), stream);
  }
  const std::uint64_t before = ring.statistics().calls[DriverCall::event_query];
  EXPECT_EQ(ring.poll(), 0U);
  EXPECT_EQ(ring.statistics().calls[DriverCall::event_query], before + 1);
  hold.release();
  for (const Ticket& ticket : tickets) EXPECT_EQ(ring.collect(ticket).size(), word);
}

TEST_F(RingRecord, PutsTheCopyInTheOrderOfTheCallersStream) {
  ReadbackRing ring = make(2);
  Hold hold{stream};
  stamp(buffer, 0, 1, 1, stream);
  const Ticket ticket = ring.record(view(), stream);
  stamp(buffer, 0, 1, 2, stream);
  ring.arm(ticket, stream);
  EXPECT_EQ(ring.state(ticket), SlotState::pending);
  hold.release();
  EXPECT_EQ(value_of(ring, ticket), 1U);
}

TEST_F(RingRecord, IsOutsideTheOrderOfSubmissions) {
  ReadbackRing ring = make(4);
  Stream other;
  Hold hold{stream};
  const Ticket submitted = submit(ring, 1);
  const Ticket recorded = ring.record({buffer.data(), word, word}, other);
  ring.arm(recorded, other);
  EXPECT_EQ(ring.wait(recorded), SlotState::ready);
  EXPECT_EQ(ring.state(submitted), SlotState::pending);
  const Ticket held = ring.record(view(), stream);
  ring.arm(held, stream);
  hold.release();
  EXPECT_EQ(value_of(ring, submitted), 1U);
  EXPECT_EQ(ring.wait(held), SlotState::ready);
}

TEST_F(RingRecord, ADiscardedTicketIsStaleToArmWhetherOrNotItsCopyIsOver) {
  ReadbackRing ring = make(2);
  Hold hold{stream};
  const Ticket ticket = submit(ring, 1);
  ring.discard(ticket);
  EXPECT_EQ(errc_of([&] { ring.arm(ticket, stream); }), Errc::stale_ticket);
  hold.release();
  stream.synchronize();
  EXPECT_TRUE(eventually([&] { return ring.poll() != 0; }));
  EXPECT_EQ(errc_of([&] { ring.arm(ticket, stream); }), Errc::stale_ticket);
}

TEST_F(RingRecord, ALaterSubmissionDoesNotMakeItReady) {
  ReadbackRing ring = make(4);
  Stream other;
  Hold hold{stream};
  const Ticket held = ring.record(view(), stream);
  ring.arm(held, stream);
  const Ticket unarmed = ring.record(view(), stream);
  EXPECT_EQ(ring.collect(ring.submit({buffer.data(), word, word}, other)).size(), word);
  EXPECT_EQ(ring.state(held), SlotState::pending);
  EXPECT_EQ(ring.state(unarmed), SlotState::pending);
  hold.release();
  ring.arm(unarmed, stream);
  EXPECT_EQ(ring.wait(unarmed), SlotState::ready);
}

TEST_F(RingRecord, RefusesToCollectBeforeArming) {
  ReadbackRing ring = make(2);
  const Ticket ticket = ring.record(view(), stream);
  stream.synchronize();
  ring.poll();
  EXPECT_EQ(ring.state(ticket), SlotState::pending);
  EXPECT_EQ(errc_of([&] { ring.wait(ticket); }), Errc::not_armed);
  EXPECT_EQ(errc_of([&] { ring.wait_for(ticket, hang_guard); }), Errc::not_armed);
  EXPECT_EQ(errc_of([&] { return ring.collect(ticket); }), Errc::not_armed);
  EXPECT_EQ(errc_of([&] { return ring.try_collect(ticket); }), Errc::not_armed);
  EXPECT_EQ(errc_of([&] { ring.discard(ticket); }), Errc::not_armed);
  EXPECT_EQ(errc_of([&] { ring.guard_source(ticket, stream); }), Errc::not_armed);
  ring.arm(ticket, stream);
  EXPECT_EQ(ring.collect(ticket).size(), word);
}

TEST_F(RingRecord, RefusesToArmTwice) {
  ReadbackRing ring = make(4);
  const Ticket ticket = ring.record(view(), stream);
  const Ticket other = ring.record(view(), stream);
  EXPECT_EQ(errc_of([&] { ring.arm(std::vector{ticket, ticket}, stream); }), Errc::already_armed);
  ring.arm(ticket, stream);
  EXPECT_EQ(errc_of([&] { ring.arm(ticket, stream); }), Errc::already_armed);
  EXPECT_EQ(errc_of([&] { ring.arm(submit(ring, 1), stream); }), Errc::already_armed);
  // All or nothing.
  EXPECT_EQ(errc_of([&] { ring.arm(std::vector{other, ticket}, stream); }), Errc::already_armed);
  EXPECT_EQ(errc_of([&] { ring.wait(other); }), Errc::not_armed);
  ring.arm(other, stream);
  ring.arm(std::span<const Ticket>{}, stream);
  EXPECT_EQ(ring.wait(other), SlotState::ready);
}

TEST_F(RingRecord, RefusesToArmOnAnotherStream) {
  ReadbackRing ring = make(2);
  Stream other;
  const Ticket ticket = ring.record(view(), stream);
  EXPECT_EQ(errc_of([&] { ring.arm(ticket, other); }), Errc::invalid_argument);
  ring.arm(ticket, stream);
  EXPECT_EQ(ring.collect(ticket).size(), word);
}

TEST_F(RingRecord, RefusesToArmThePerThreadStreamOfAnotherThread) {
  ReadbackRing ring = make(2);
  Hold hold{StreamRef::per_thread()};
  const Ticket ticket = ring.record(view(), StreamRef::per_thread());
  // Its event would say that the copy is over, on a stream that never had it.
  std::jthread{[&] {
    EXPECT_EQ(errc_of([&] { ring.arm(ticket, StreamRef::per_thread()); }), Errc::invalid_argument);
  }}.join();
  ring.arm(ticket, StreamRef::per_thread());
  EXPECT_EQ(ring.state(ticket), SlotState::pending);
  hold.release();
  EXPECT_EQ(ring.collect(ticket).size(), word);
}

TEST_F(RingRecord, CreatesNoEventOnceItIsWarm) {
  ReadbackRing ring = make(4);
  const auto round = [&] {
    const std::vector tickets{ring.record(view(), stream), ring.record(view(), stream)};
    ring.arm(tickets, stream);
    for (const Ticket& ticket : tickets) static_cast<void>(ring.collect(ticket));
  };
  round();
  const std::uint64_t before = ring.statistics().calls[DriverCall::event_create];
  for (int i = 0; i < 100; ++i) round();
  EXPECT_EQ(ring.statistics().calls[DriverCall::event_create], before);
}

TEST_F(RingRecord, ARingDestroyedWithUnarmedTicketsKeepsTheirMemoryAndSaysSo) {
  {
    RingOptions made = options(2);
    made.close_bound = std::chrono::milliseconds{0};
    ReadbackRing ring{tailrace::Device{0}, made};
    static_cast<void>(ring.record(view(), stream));
  }
  ASSERT_EQ(log.messages().size(), 1U);
  EXPECT_NE(log.messages()[0].find("are kept"), std::string::npos);
  EXPECT_NE(log.messages()[0].find("arm"), std::string::npos);
}

TEST_F(RingRecord, OneOfManyThreadsArms) {
  ReadbackRing ring = make(2);
  for (std::uint64_t i = 0; i < 100; ++i) {
    stamp(buffer, 0, 1, i, stream);
    const Ticket ticket = ring.record(view(), stream);
    std::atomic<int> armed{0};
    const auto race = [&] {
      const auto code = errc_of([&] { ring.arm(ticket, stream); });
      if (!code) {
        ++armed;
        EXPECT_EQ(value_of(ring, ticket), i);
      }
    };
    std::jthread other{race};
    race();
    other.join();
    ASSERT_EQ(armed, 1);
  }
}

}  // namespace
