// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Copies whose completion cannot be found out: ERROR within one poll, never READY, and the slot is kept back until the
// copy is proven over.

#include "tests/support/ring_fault.hpp"

#include <atomic>

namespace {

using namespace test;
using faults::fail_call;
using std::chrono::milliseconds;
using tailrace::DriverCall;

using RingFault = RingFaultTest;

TEST_F(RingFault, AFailedQueryIsAnErrorAfterOnePollAndNeverNotYet) {
  ReadbackRing ring = make(4);
  Hold hold{stream};
  const Ticket first = submit(ring, 1);
  const Ticket second = submit(ring, 2);
  fail_call(DriverCall::event_query, 1);
  EXPECT_EQ(ring.poll(), 1U);
  EXPECT_EQ(ring.state(first), SlotState::error);
  EXPECT_EQ(ring.state(second), SlotState::pending);
  EXPECT_EQ(ring.statistics().errors, 1U);
  hold.release();
  EXPECT_EQ(value_of(ring, second), 2U);
  EXPECT_EQ(ring.state(first), SlotState::error);
}

TEST_F(RingFault, AFailedQueryConcernsEveryCopyThatItsEventCovers) {
  ReadbackRing ring = make(4);
  const Ticket ready = submit(ring, 1);
  EXPECT_EQ(ring.wait(ready), SlotState::ready);
  Hold hold{stream};
  fail_call(DriverCall::event_record, 2);  // after the producer edge: the mark, so that the next one covers both copies
  const Ticket first = submit(ring, 2);
  const Ticket second = submit(ring, 3);
  fail_call(DriverCall::event_query, 1);
  EXPECT_EQ(ring.poll(), 2U);
  EXPECT_EQ(ring.state(first), SlotState::error);
  EXPECT_EQ(ring.state(second), SlotState::error);
  EXPECT_EQ(value_of(ring, ready), 1U);
}

TEST_F(RingFault, AFailedQueryEndsAWaitAtOnce) {
  ReadbackRing ring = make(4);
  Hold hold{stream};
  const Ticket ticket = submit(ring, 1);
  fail_call(DriverCall::event_query, 10);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(ring.wait_for(ticket, hang_guard), SlotState::error);
  EXPECT_LT(std::chrono::steady_clock::now() - start, hang_guard / 2);
  EXPECT_EQ(ring.wait_all({&ticket, 1}), 1U);
}

TEST_F(RingFault, AFailedQueryEndsEveryKindOfWait) {
  ReadbackRing ring = make(8);
  std::vector<std::jthread> threads;
  Hold hold{stream};  // never released before the waits have ended
  std::atomic<int> ended{0};
  const auto blocked = [&](auto wait) { threads.emplace_back([&, wait, t = submit(ring, 1)] { ended += wait(t); }); };
  const auto throws = [](auto call) { return errc_of(call) == Errc::copy_failed ? 1 : 0; };
  blocked([&](const Ticket& t) { return ring.wait(t) == SlotState::error ? 1 : 0; });
  blocked([&](const Ticket& t) { return ring.wait_for(t, hang_guard) == SlotState::error ? 1 : 0; });
  blocked([&](const Ticket& t) { return ring.wait_all({&t, 1}) == 1 ? 1 : 0; });
  blocked([&](const Ticket& t) { return throws([&] { return ring.collect(t); }); });
  blocked([&](const Ticket& t) {
    return throws([&] { ring.visit(t, [](std::span<const std::byte>) { ADD_FAILURE(); }); });
  });
  EXPECT_EQ(ended, 0);
  faults::fail_calls(DriverCall::event_query);
  threads.clear();
  EXPECT_EQ(ended, 5);
  faults::clear_failures();
}

TEST_F(RingFault, CollectingAnErrorThrowsItsCauseOnce) {
  ReadbackRing ring = make_on_copies(4);
  for (const bool proven_over : {false, true}) {
    Hold hold{stream};
    const Ticket ticket = submit(ring, 1);
    fail_call(DriverCall::event_query, 1);
    ring.poll();
    if (proven_over) {
      hold.release();
      finish(ring);
    }
    EXPECT_EQ(ring.state(ticket), SlotState::error);
    std::vector<std::byte> bytes(word, std::byte{0x5a});
    const auto error = error_of([&] { ring.collect(ticket, std::span{bytes}); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->errc(), Errc::copy_failed);
    EXPECT_NE(error->native_code(), 0);
    EXPECT_FALSE(error->native_name().empty());
    EXPECT_EQ(error->details().operation, "collect");
    EXPECT_EQ(error->details().ring, "residual");
    EXPECT_EQ(error->details().slot, ticket.slot());
    EXPECT_EQ(error->details().sequence, ticket.sequence());
    EXPECT_EQ(bytes, std::vector(word, std::byte{0x5a}));
    EXPECT_EQ(errc_of([&] { ring.collect(ticket, std::span{bytes}); }), Errc::stale_ticket);
    EXPECT_EQ(ring.statistics().quarantined, 1U);  // only the first was not proven over
    EXPECT_EQ(ring.statistics().errors_collected, proven_over ? 2U : 1U);
  }
}

TEST_F(RingFault, NoCallReachesTheBytesOfAnError) {
  ReadbackRing ring = make(8);
  std::vector<std::byte> bytes;
  const auto failed = [&] {
    const Ticket ticket = submit(ring, 1);
    fail_call(DriverCall::event_query, 1);
    ring.poll();
    return ticket;
  };
  const auto never = [](std::span<const std::byte>) { ADD_FAILURE(); };
  EXPECT_EQ(errc_of([&, t = failed()] { ring.visit(t, never); }), Errc::copy_failed);
  EXPECT_EQ(errc_of([&, t = failed()] { ring.try_visit(t, never); }), Errc::copy_failed);
  EXPECT_EQ(errc_of([&, t = failed()] { return ring.collect(t); }), Errc::copy_failed);
  EXPECT_EQ(errc_of([&, t = failed()] { return ring.try_collect(t); }), Errc::copy_failed);
  EXPECT_EQ(errc_of([&, t = failed()] { ring.collect(t, bytes); }), Errc::copy_failed);
  EXPECT_TRUE(bytes.empty());
}

TEST_F(RingFault, AnErrorThatNobodyCollectedIsInTheWay) {
  ReadbackRing ring = make(2);
  Hold hold{stream};
  const Ticket first = submit(ring, 1);
  const Ticket second = submit(ring, 2);
  fail_call(DriverCall::event_query, 1);
  ring.poll();
  const auto error = error_of([&] { return ring.submit(view(), stream); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->errc(), Errc::slot_error);
  EXPECT_NE(std::string{error->what()}.find("failed readback not collected"), std::string::npos);
  EXPECT_EQ(errc_of([&] { return ring.try_submit(view(), stream); }), Errc::slot_error);
  ring.discard(first);  // as good as collecting it
  EXPECT_EQ(errc_of([&] { return ring.submit(view(), stream); }), Errc::slot_quarantined);
  hold.release();
  EXPECT_EQ(value_of(ring, second), 2U);
  EXPECT_TRUE(accepts(ring));
}

TEST_F(RingFault, AQuarantinedSlotIsFreeOnceALaterEventProvesItsCopyOver) {
  ReadbackRing ring = make(2);
  Hold hold{stream};
  const std::vector tickets{submit(ring, 1), submit(ring, 2)};
  for (const Ticket& ticket : tickets) {
    fail_call(DriverCall::event_query, 1);
    ring.poll();
    EXPECT_EQ(errc_of([&] { return ring.collect(ticket); }), Errc::copy_failed);
    EXPECT_EQ(ring.state(ticket), SlotState::free);
  }
  // All of them: said, not waited for.
  EXPECT_EQ(errc_of([&] { return ring.submit(view(), stream); }), Errc::slot_quarantined);
  EXPECT_EQ(errc_of([&] { return ring.try_submit(view(), stream); }), Errc::slot_quarantined);
  const auto error = error_of([&] { return ring.submit_for(view(), stream, milliseconds{5}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->errc(), Errc::timed_out);
  EXPECT_NE(std::string{error->what()}.find("quarantined"), std::string::npos);
  EXPECT_EQ(ring.statistics().quarantined, 2U);
  hold.release();
  EXPECT_TRUE(accepts(ring));
  EXPECT_TRUE(accepts(ring));
}

TEST_F(RingFault, ASubmissionThatWaitsGoesOnWhenAnErrorIsCollected) {
  ReadbackRing ring = make_on_copies(2);
  Hold hold{stream};
  const Ticket failed = submit(ring, 1);
  fail_call(DriverCall::event_query, 1);
  ring.poll();
  const Ticket second = submit(ring, 2);
  hold.release();
  EXPECT_EQ(ring.wait(second), SlotState::ready);  // proves the first one over too
  std::jthread waiter{[&] { EXPECT_EQ(ring.submit_for(view(), stream, hang_guard).slot(), failed.slot()); }};
  EXPECT_TRUE(eventually([&] { return errc_of([&] { return ring.submit(view(), stream); }) == Errc::slot_promised; }));
  EXPECT_EQ(errc_of([&] { return ring.collect(failed); }), Errc::copy_failed);
}

TEST_F(RingFault, AnEventThatCannotBeRecordedIsRecordedAtTheNextPoll) {
  ReadbackRing ring = make(2);
  fail_call(DriverCall::event_record, 2);
  const Ticket ticket = submit(ring, 7);
  EXPECT_EQ(ticket.sequence(), 0U);
  EXPECT_EQ(value_of(ring, ticket), 7U);
  EXPECT_EQ(ring.statistics().errors, 0U);
}

TEST_F(RingFault, AnEventThatCannotBeRecordedAtTheNextPollEitherIsAnError) {
  ReadbackRing ring = make(2);
  Hold hold{stream};
  fail_call(DriverCall::event_record, 2);
  fail_call(DriverCall::event_record, 3);
  const Ticket ticket = submit(ring, 7);
  EXPECT_EQ(ring.poll(), 1U);
  EXPECT_EQ(ring.state(ticket), SlotState::error);
  EXPECT_EQ(errc_of([&] { return ring.collect(ticket); }), Errc::copy_failed);
  submit(ring, 8);
  EXPECT_EQ(errc_of([&] { return ring.submit(view(), stream); }), Errc::slot_quarantined);
  hold.release();
  EXPECT_TRUE(accepts(ring));
}

TEST_F(RingFault, ALateMarkDoesNotProveWhatCameAfterIt) {
  ReadbackRing ring = make(4);
  Stream other;
  fail_call(DriverCall::event_record, 2);
  const Ticket first = submit(ring, 1);
  EXPECT_EQ(ring.wait(first), SlotState::ready);
  Hold hold{other};
  fail_call(DriverCall::event_record, 2);
  const Ticket second = ring.submit(view(), other);
  ring.poll();
  const Ticket third = ring.submit(view(), other);
  ring.poll();
  EXPECT_EQ(ring.state(second), SlotState::pending);
  EXPECT_EQ(ring.state(third), SlotState::pending);
  hold.release();
  EXPECT_EQ(ring.wait(third), SlotState::ready);
  EXPECT_EQ(ring.state(second), SlotState::ready);
}

TEST_F(RingFault, ACopyThatWasNotEnqueuedConsumesNothingAndNeverLooksFinished) {
  ReadbackRing ring = make(2);
  const Ticket before = submit(ring, 1);
  for (const DriverCall call : {DriverCall::copy, DriverCall::stream_wait, DriverCall::event_record,
                                DriverCall::pointer_query, DriverCall::capture_query, DriverCall::current_device}) {
    fail_call(call, 1);
    EXPECT_EQ(errc_of([&] { submit(ring, 2); }), Errc::driver_error) << to_string(call);
    EXPECT_EQ(ring.statistics().submissions, 1U);
    EXPECT_EQ(ring.statistics().outstanding, 1U);
  }
  EXPECT_EQ(value_of(ring, before), 1U);
  const Ticket after = submit(ring, 3);
  EXPECT_EQ(after.sequence(), 1U);
  EXPECT_EQ(value_of(ring, after), 3U);
}

TEST_F(RingFault, ARecordedCopyWhoseQueryFailsIsAnErrorToo) {
  ReadbackRing ring = make_on_copies(2);
  Hold hold{stream};
  const std::vector tickets{ring.record(view(), stream), ring.record(view(), stream)};
  fail_call(DriverCall::event_record, 1);
  EXPECT_EQ(errc_of([&] { ring.arm(tickets, stream); }), Errc::driver_error);
  EXPECT_EQ(errc_of([&] { ring.wait(tickets[0]); }), Errc::not_armed);
  ring.arm(tickets, stream);  // can be tried again
  fail_call(DriverCall::event_query, 1);
  EXPECT_EQ(ring.poll(), 2U);
  EXPECT_EQ(errc_of([&] { return ring.collect(tickets[0]); }), Errc::copy_failed);
  EXPECT_EQ(errc_of([&] { return ring.submit(view(), stream); }), Errc::slot_quarantined);
  hold.release();
  finish(ring);
  EXPECT_EQ(errc_of([&] { return ring.collect(tickets[1]); }), Errc::copy_failed);
  EXPECT_TRUE(accepts(ring));
  EXPECT_TRUE(accepts(ring));
}

TEST_F(RingFault, TheSourceOfAFailedCopyCannotBeGuarded) {
  ReadbackRing ring = make(4);
  Hold hold{stream};
  const Ticket ticket = submit(ring, 1);
  fail_call(DriverCall::stream_wait, 1);
  EXPECT_EQ(errc_of([&] { ring.guard_source(ticket, copies); }), Errc::driver_error);
  ring.guard_source(ticket, copies);
  fail_call(DriverCall::event_query, 1);
  ring.poll();
  EXPECT_EQ(errc_of([&] { ring.guard_source(ticket, copies); }), Errc::copy_failed);
}

TEST_F(RingFault, TheSourceIsGuardedAlsoIfTheEventCouldNotBeRecorded) {
  ReadbackRing ring = make_on_copies(2);
  Stream writer;
  Hold hold{copies};
  fail_call(DriverCall::event_record, 2);
  const Ticket ticket = submit(ring, 1);
  ring.guard_source(ticket, writer);
  stamp(buffer, 0, 1, 2, writer);
  EXPECT_EQ(ring.wait_for(ticket, milliseconds{10}), SlotState::pending);
  hold.release();
  EXPECT_EQ(value_of(ring, ticket), 1U);
  writer.synchronize();
}

}  // namespace
