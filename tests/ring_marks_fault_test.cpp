// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Marks that fail, or are missing, among others.

#include "tests/support/ring_fault.hpp"

namespace {

using namespace test;
using faults::fail_call;
using tailrace::DriverCall;

class RingMarksFault : public RingFaultTest {
 protected:
  /// So many submissions that are over when they are first asked for, so that polling passes over marks from then on.
  void get_used_to_success(ReadbackRing& ring, std::size_t submissions) {
    std::vector<Ticket> tickets;
    for (std::size_t i = 0; i < submissions; ++i) tickets.push_back(submit(ring, i));
    stream.synchronize();
    copies.synchronize();
    for (const Ticket& ticket : tickets) static_cast<void>(ring.collect(ticket));
  }
  [[nodiscard]] std::vector<Ticket> submit_many(ReadbackRing& ring, std::uint64_t count) {
    std::vector<Ticket> tickets;
    for (std::uint64_t i = 0; i < count; ++i) tickets.push_back(submit(ring, i));
    return tickets;
  }
};

TEST_F(RingMarksFault, AFailedQueryMakesAnErrorOfWhatItCoversAndOfNothingLater) {
  for (std::size_t used_to = 0; used_to < 8; ++used_to) {
    ReadbackRing ring = make_on_copies(16);
    get_used_to_success(ring, used_to);
    Hold hold{stream};
    const std::vector tickets = submit_many(ring, 12);
    fail_call(DriverCall::event_query, 1);
    const std::size_t failed = ring.poll();
    EXPECT_GE(failed, 1U);
    for (std::size_t i = 0; i < tickets.size(); ++i) {
      EXPECT_EQ(ring.state(tickets[i]), i < failed ? SlotState::error : SlotState::pending) << i;
    }
    EXPECT_EQ(ring.statistics().errors, failed);
    const Ticket later = submit(ring, 100);
    hold.release();
    EXPECT_EQ(value_of(ring, later), 100U);  // proves all of them over
    for (std::size_t i = 0; i < tickets.size(); ++i) {
      if (i < failed) {
        EXPECT_EQ(errc_of([&] { return ring.collect(tickets[i]); }), Errc::copy_failed);
      } else {
        EXPECT_EQ(value_of(ring, tickets[i]), i);
      }
    }
    EXPECT_EQ(ring.statistics().quarantined, 0U);
    EXPECT_TRUE(ring.close(std::chrono::seconds{0}).drained);
  }
}

TEST_F(RingMarksFault, LaterProofFreesWhatAFarMarkFailedToProve) {
  ReadbackRing ring = make_on_copies(8);
  get_used_to_success(ring, 7);
  Hold hold{stream};
  const std::vector tickets = submit_many(ring, 8);
  fail_call(DriverCall::event_query, 1);
  const std::size_t failed = ring.poll();
  EXPECT_GT(failed, 1U);
  for (std::size_t i = 0; i < failed; ++i) {
    EXPECT_EQ(errc_of([&] { return ring.collect(tickets[i]); }), Errc::copy_failed);
  }
  EXPECT_EQ(errc_of([&] { return ring.submit(view(), stream); }), Errc::slot_quarantined);
  hold.release();
  for (std::size_t i = failed; i < tickets.size(); ++i) EXPECT_EQ(value_of(ring, tickets[i]), i);
  for (std::size_t i = 0; i < tickets.size(); ++i) EXPECT_TRUE(accepts(ring));
}

TEST_F(RingMarksFault, ACopyWhoseMarkIsMissingIsProvenByTheNextOne) {
  ReadbackRing ring = make_on_copies(8);
  get_used_to_success(ring, 4);
  Stream other;
  const Ticket first = submit(ring, 1);
  fail_call(DriverCall::event_record, 2);  // after the producer edge: the mark
  const Ticket unmarked = submit(ring, 2);
  Hold hold{other};
  const Ticket third = ring.submit(view(), other);
  EXPECT_EQ(value_of(ring, first), 1U);
  EXPECT_EQ(ring.state(third), SlotState::pending);
  hold.release();
  EXPECT_EQ(value_of(ring, unmarked), 2U);
  EXPECT_EQ(ring.collect(third).size(), word);
  EXPECT_EQ(ring.statistics().errors, 0U);
}

TEST_F(RingMarksFault, ACopyWhoseMarkIsMissingBehindAllOthersHoldsUpNoneOfThem) {
  ReadbackRing ring = make_on_copies(8);
  get_used_to_success(ring, 4);
  Stream other;
  const std::vector tickets = submit_many(ring, 3);
  Hold hold{other};
  fail_call(DriverCall::event_record, 2);
  const Ticket unmarked = ring.submit(view(), other);
  for (std::uint64_t i = 0; i < tickets.size(); ++i) EXPECT_EQ(value_of(ring, tickets[i]), i);
  EXPECT_EQ(ring.state(unmarked), SlotState::pending);
  hold.release();
  EXPECT_EQ(ring.collect(unmarked).size(), word);
}

TEST_F(RingMarksFault, ALateMarkProvesNothingMoreBecauseAnotherCouldNotBeRecorded) {
  ReadbackRing ring = make_on_copies(8);
  Stream other;
  Stream writer;
  Hold hold_first{stream};
  Hold hold_second{other};
  fail_call(DriverCall::event_record, 2);
  const Ticket first = ring.submit(view(), stream);
  EXPECT_EQ(ring.poll(), 0U);  // records a late mark behind the first
  fail_call(DriverCall::event_record, 2);
  const Ticket second = ring.submit(view(), other);
  begin_capture(copies, CaptureMode::relaxed);
  EXPECT_EQ(errc_of([&] { ring.guard_source(second, writer); }), Errc::stream_capturing);
  EXPECT_TRUE(end_capture(copies));
  hold_first.release();
  EXPECT_EQ(ring.wait_for(first, hang_guard), SlotState::ready);
  EXPECT_EQ(ring.state(second), SlotState::pending);
  hold_second.release();
  EXPECT_EQ(ring.wait_for(second, hang_guard), SlotState::ready);
}

}  // namespace
