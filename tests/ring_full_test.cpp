// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// What a submission meets in a slot that is not free: an explicit refusal, and everything as it was.

#include "tests/support/ring.hpp"

#include <gmock/gmock.h>

namespace {

using namespace test;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class RingFull : public RingTest {
 protected:
  static void expect_refusal(const std::optional<tailrace::Error>& error, Errc code, const char* text,
                             const Ticket& in_the_way) {
    ASSERT_TRUE(error);
    EXPECT_EQ(error->errc(), code);
    EXPECT_THAT(std::string{error->what()}, HasSubstr(text));
    EXPECT_THAT(std::string{error->what()}, HasSubstr("'residual'"));
    EXPECT_THAT(std::string{error->what()}, EndsWith("."));
    EXPECT_EQ(error->details().slot, in_the_way.slot());
    EXPECT_EQ(error->details().sequence, in_the_way.sequence());
  }
};

TEST_F(RingFull, OfReadyResultsRefusesAndKeepsAllOfThem) {
  constexpr unsigned slots = 8;
  ReadbackRing ring = make(slots);
  std::vector<Ticket> tickets;
  for (unsigned i = 0; i < slots; ++i) tickets.push_back(submit(ring, 100 + i));
  EXPECT_EQ(ring.wait_all(tickets), 0U);
  for (int again = 0; again < 100; ++again) {
    stamp(buffer, 0, 1, 1, stream);
    expect_refusal(error_of([&] { return ring.submit(view(), stream); }), Errc::slot_ready,
                   "uncollected completed readback", tickets[0]);
    EXPECT_EQ(ring.try_submit(view(), stream), std::nullopt);
    expect_refusal(error_of([&] { return ring.record(view(), stream); }), Errc::slot_ready, "READY", tickets[0]);
  }
  // Only the next slot counts, not that another one is free.
  EXPECT_EQ(value_of(ring, tickets[5]), 105U);
  EXPECT_EQ(errc_of([&] { return ring.submit(view(), stream); }), Errc::slot_ready);
  for (unsigned i = 0; i < slots; ++i) {
    if (i == 5) continue;
    EXPECT_EQ(value_of(ring, tickets[i]), 100U + i);
  }
  EXPECT_EQ(submit(ring, 1).sequence(), slots);
}

TEST_F(RingFull, OfPendingCopiesRefusesAndCountsAStall) {
  ReadbackRing ring = make(2);
  Hold hold{stream};
  const Ticket first = submit(ring, 1);
  const Ticket second = submit(ring, 2);
  EXPECT_EQ(ring.statistics().stalls, 0U);
  expect_refusal(error_of([&] { return ring.submit(view(), stream); }), Errc::slot_pending, "still in flight", first);
  EXPECT_EQ(ring.statistics().stalls, 1U);
  EXPECT_EQ(ring.try_submit(view(), stream), std::nullopt);
  hold.release();
  EXPECT_EQ(value_of(ring, first), 1U);
  EXPECT_EQ(value_of(ring, second), 2U);
  EXPECT_EQ(ring.statistics().submissions, 2U);
}

TEST_F(RingFull, PollsOnceBeforeItRefuses) {
  Stream copies;
  RingOptions made = options(2);
  made.copy_stream = copies;
  ReadbackRing ring{tailrace::Device{0}, made};
  const Ticket first = submit(ring, 1);
  const Ticket second = submit(ring, 2);
  ring.discard(second);
  copies.synchronize();
  // Both are over, which nobody has seen yet.
  expect_refusal(error_of([&] { return ring.submit(view(), stream); }), Errc::slot_ready, "READY", first);
  EXPECT_EQ(ring.statistics().stalls, 1U);
  EXPECT_EQ(value_of(ring, first), 1U);
  EXPECT_EQ(submit(ring, 3).slot(), 0U);
  EXPECT_EQ(submit(ring, 4).slot(), 1U);
}

TEST_F(RingFull, RefusesASlotThatIsBeingRead) {
  ReadbackRing ring = make(2);
  const Ticket first = submit(ring, 1);
  const Ticket second = submit(ring, 2);
  ring.visit(first, [&](std::span<const std::byte>) {
    expect_refusal(error_of([&] { return ring.submit(view(), stream); }), Errc::slot_reading, "being read", first);
    EXPECT_EQ(ring.try_submit(view(), stream), std::nullopt);
  });
  EXPECT_EQ(submit(ring, 3).slot(), 0U);
  EXPECT_EQ(value_of(ring, second), 2U);
}

TEST_F(RingFull, RefusesADiscardedSlotWhoseCopyIsInFlight) {
  ReadbackRing ring = make(2);
  Hold hold{stream};
  const Ticket first = submit(ring, 1);
  submit(ring, 2);
  ring.discard(first);
  const auto refuses = [&](auto&& call) {
    expect_refusal(error_of(call), Errc::slot_discarded, "discarded, still in flight", first);
  };
  refuses([&] { return ring.submit(view(), stream); });
  refuses([&] { return ring.try_submit(view(), stream); });
  hold.release();
  EXPECT_TRUE(eventually([&] { return !errc_of([&] { return ring.submit(view(), stream); }); }));
}

TEST_F(RingFull, RefusesASlotThatIsNotArmed) {
  ReadbackRing ring = make(2);
  const Ticket first = ring.record(view(), stream);
  const Ticket second = ring.record(view(), stream);
  expect_refusal(error_of([&] { return ring.submit(view(), stream); }), Errc::slot_unarmed, "not armed", first);
  EXPECT_EQ(errc_of([&] { return ring.try_submit(view(), stream); }), Errc::slot_unarmed);
  ring.arm(std::vector{first, second}, stream);
  EXPECT_EQ(ring.collect(first).size(), word);
  EXPECT_EQ(submit(ring, 3).slot(), 0U);
}

TEST_F(RingFull, ConsumesNothingWhenItRefuses) {
  ReadbackRing ring = make(2);
  const Ticket first = submit(ring, 1);
  submit(ring, 2);
  const auto before = ring.statistics();
  EXPECT_TRUE(errc_of([&] { return ring.submit(view(), stream); }));
  const auto after = ring.statistics();
  EXPECT_EQ(after.submissions, before.submissions);
  EXPECT_EQ(after.bytes, before.bytes);
  EXPECT_EQ(after.refusals, before.refusals + 1);
  ring.wait(first);
  ring.discard(first);
  EXPECT_EQ(submit(ring, 3).sequence(), 2U);
}

}  // namespace
