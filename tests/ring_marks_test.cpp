// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// How a ring finds out with few queries what is over, and is exact all the same.

#include <tailrace/testing.hpp>

#include "tests/support/ring.hpp"

#include <limits>
#include <stop_token>

namespace {

using namespace test;
using tailrace::DriverCall;

/// Rings whose copy stream the test can synchronise with.
class RingMarks : public RingTest {
 protected:
  [[nodiscard]] ReadbackRing make_on_copies(unsigned slots) {
    RingOptions made = options(slots);
    made.copy_stream = copies;
    return ReadbackRing{tailrace::Device{0}, made};
  }
  [[nodiscard]] std::vector<Ticket> submit_many(ReadbackRing& ring, std::uint64_t count) {
    std::vector<Ticket> tickets;
    for (std::uint64_t i = 0; i < count; ++i) tickets.push_back(submit(ring, first_value + i));
    return tickets;
  }
  static void expect_values(ReadbackRing& ring, const std::vector<Ticket>& tickets) {
    for (std::uint64_t i = 0; i < tickets.size(); ++i) EXPECT_EQ(value_of(ring, tickets[i]), first_value + i);
  }
  /// Submissions that are over when they are first asked for, so that polling expects the next ones to be over too.
  void get_used_to_success(ReadbackRing& ring) {
    const std::vector tickets = submit_many(ring, ring.slots() / 2);
    copies.synchronize();
    expect_values(ring, tickets);
  }
  static std::uint64_t queries(const ReadbackRing& ring) { return ring.statistics().calls[DriverCall::event_query]; }

  static std::uint64_t records(const ReadbackRing& ring) { return ring.statistics().calls[DriverCall::event_record]; }

  static constexpr std::uint64_t first_value = 1000;
  Stream copies;
};

TEST_F(RingMarks, OfManyCopiesThatAreOverTakeFewQueries) {
  ReadbackRing ring = make_on_copies(256);
  const std::uint64_t before = queries(ring);
  constexpr std::uint64_t in_flight = 64;
  for (int round = 0; round < 8; ++round) {
    const std::vector tickets = submit_many(ring, in_flight);
    copies.synchronize();
    expect_values(ring, tickets);
  }
  EXPECT_LT(queries(ring) - before, 8 * in_flight / 10);
}

TEST_F(RingMarks, ACopyIsNotHeldUpByALaterOne) {
  ReadbackRing ring = make(64);
  for (int round = 0; round < 3; ++round) {
    expect_values(ring, submit_many(ring, 30));  // whatever polling has come to expect
    Stream stalled;
    Hold hold{stalled};
    const std::vector done = submit_many(ring, 5);
    std::vector<Ticket> behind;
    for (int i = 0; i < 20; ++i) behind.push_back(ring.submit(view(), stalled));
    for (const Ticket& ticket : done) EXPECT_EQ(ring.wait_for(ticket, hang_guard), SlotState::ready);
    for (const Ticket& ticket : behind) EXPECT_EQ(ring.state(ticket), SlotState::pending);
    expect_values(ring, done);
    hold.release();
    for (const Ticket& ticket : behind) EXPECT_EQ(ring.collect(ticket).size(), word);
  }
}

TEST_F(RingMarks, PollingMovesExactlyWhatIsOver) {
  ReadbackRing ring = make_on_copies(64);
  for (const bool used_to_success : {false, true}) {
    for (std::uint64_t over = 0; over < 24; over += 1 + over / 4) {
      for (std::uint64_t held = 1; held < 24; held += 1 + held / 2) {
        if (used_to_success) get_used_to_success(ring);
        Stream stalled;
        const std::vector done = submit_many(ring, over);
        copies.synchronize();
        Hold hold{stalled};
        std::vector<Ticket> behind;
        for (std::uint64_t i = 0; i < held; ++i) behind.push_back(ring.submit(view(), i == 0 ? stalled : stream));
        EXPECT_EQ(ring.poll(), over) << "before " << held;
        EXPECT_EQ(ring.poll(), 0U);
        for (const Ticket& ticket : done) EXPECT_EQ(ring.state(ticket), SlotState::ready);
        for (const Ticket& ticket : behind) EXPECT_EQ(ring.state(ticket), SlotState::pending);
        hold.release();
        copies.synchronize();
        EXPECT_EQ(ring.poll(), held) << "behind " << over;
        expect_values(ring, done);
        for (const Ticket& ticket : behind) ring.discard(ticket);
      }
    }
  }
}

TEST_F(RingMarks, ProveWhatIsOutOfOrderWithRecordedCopies) {
  ReadbackRing ring = make_on_copies(16);
  get_used_to_success(ring);
  Stream stalled;
  Hold hold{stalled};
  const Ticket before = submit(ring, 1);
  const Ticket recorded = ring.record(view(), stream);
  const Ticket empty = ring.submit({buffer.data(), 0}, stream);
  const Ticket recorded_and_stalled = ring.record(view(), stalled);
  const Ticket behind = ring.submit(view(), stalled);
  ring.arm({&recorded_and_stalled, 1}, stalled);
  ring.arm({&recorded, 1}, stream);
  EXPECT_EQ(ring.wait_for(recorded, hang_guard), SlotState::ready);
  EXPECT_EQ(ring.wait_for(before, hang_guard), SlotState::ready);
  EXPECT_EQ(ring.state(empty), SlotState::ready);
  EXPECT_EQ(ring.state(recorded_and_stalled), SlotState::pending);
  EXPECT_EQ(ring.state(behind), SlotState::pending);
  hold.release();
  EXPECT_EQ(ring.wait_for(behind, hang_guard), SlotState::ready);
  EXPECT_EQ(ring.wait_for(recorded_and_stalled, hang_guard), SlotState::ready);
}

TEST_F(RingMarks, GuardASourceWhoseOwnMarkWasPassedOver) {
  ReadbackRing ring = make_on_copies(64);
  get_used_to_success(ring);
  Stream writer;
  Hold hold{copies};
  const std::vector tickets = submit_many(ring, 16);
  EXPECT_EQ(ring.poll(), 0U);  // asks for a mark far behind the first one
  for (const Ticket& ticket : tickets) ring.guard_source(ticket, writer);
  for (std::size_t i = 0; i < tickets.size(); ++i) stamp(buffer, i * word, tickets.size(), 2, writer);
  hold.release();
  const std::size_t first = next_word - tickets.size();
  stamp(buffer, first * word, tickets.size(), 3, writer);
  expect_values(ring, tickets);
  writer.synchronize();
}

TEST_F(RingMarks, GoOnWhenSequenceNumbersWrap) {
  tailrace::control::start_sequences_at(std::numeric_limits<std::uint64_t>::max() - 100);
  ReadbackRing ring = make_on_copies(64);
  tailrace::control::start_sequences_at(0);
  for (int round = 0; round < 5; ++round) {
    const std::vector tickets = submit_many(ring, 48);
    if (round % 2 == 0) copies.synchronize();
    expect_values(ring, tickets);
  }
  EXPECT_EQ(ring.statistics().outstanding, 0U);
}

// If a mark were missing, its copy would be held up by the next one; if polling recorded one of its own, in vain, it
// would cost a driver call.
TEST_F(RingMarks, AreRecordedOncePerCopyWhateverPollingDoesMeanwhile) {
  constexpr std::uint64_t submissions = 20'000;
  ReadbackRing ring = make_on_copies(2);
  const std::uint64_t before = records(ring);
  std::jthread poller{[&](const std::stop_token& stop) {
    while (!stop.stop_requested()) ring.poll();
  }};
  for (std::uint64_t i = 0; i < submissions; ++i) {
    ring.discard(ring.submit_for(view(), copies, hang_guard));  // polling alone tells when the slot is free again
  }
  poller.request_stop();
  poller.join();
  EXPECT_EQ(records(ring) - before, submissions);
}

// The queue of marks has as many places as this ring has slots. The first slots are taken again while another thread is
// still busy proving the rest of them.
TEST_F(RingMarks, HaveAPlaceAsSoonAsTheCopyHasASlot) {
  constexpr std::uint64_t rounds = 100;
  ReadbackRing ring = make_on_copies(256);
  const std::uint64_t before = records(ring);
  std::jthread poller{[&](const std::stop_token& stop) {
    while (!stop.stop_requested()) ring.poll();
  }};
  for (std::uint64_t i = 0; i < rounds; ++i) {
    Hold hold{copies};
    std::vector<Ticket> tickets;
    while (tickets.size() < ring.slots()) tickets.push_back(ring.submit(view(), copies));
    hold.release();
    EXPECT_TRUE(eventually([&] { return ring.state(tickets[1]) == SlotState::ready; }));
    for (std::size_t again = 0; again < 2; ++again) {  // one alone would be given a mark by polling
      static_cast<void>(ring.collect(tickets[again]));
      tickets[again] = ring.submit(view(), copies);
    }
    for (const Ticket& ticket : tickets) static_cast<void>(ring.collect(ticket));
  }
  poller.request_stop();
  poller.join();
  EXPECT_EQ(records(ring) - before, rounds * (ring.slots() + 2));
}

}  // namespace
