// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// A sticky error: the device is lost until the process ends.

#include "src/device_fault.hpp"
#include "tests/support/ring_fault.hpp"

namespace {

using namespace test;
using tailrace::DriverCall;

class RingLostDevice : public RingFaultTest {
 protected:
  void lose() { faults::lose_device(0); }
};

TEST_F(RingLostDevice, ReadyStaysCollectableAndEverythingElseBecomesAnError) {
  ReadbackRing ring = make(8);
  const Ticket ready = submit(ring, 1);
  EXPECT_EQ(ring.wait(ready), SlotState::ready);
  Hold hold{stream};
  const Ticket pending = submit(ring, 2);
  const Ticket discarded = submit(ring, 3);
  ring.discard(discarded);
  const Ticket armed = ring.record(view(), stream);
  ring.arm(armed, stream);
  const Ticket unarmed = ring.record(view(), stream);
  lose();
  EXPECT_EQ(ring.wait_for(pending, hang_guard), SlotState::error);
  for (const Ticket& ticket : {pending, armed, unarmed}) {
    EXPECT_EQ(ring.state(ticket), SlotState::error);
    EXPECT_EQ(errc_of([&] { ring.arm(ticket, stream); }), Errc::device_lost);
    const auto error = error_of([&] { return ring.collect(ticket); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->errc(), Errc::copy_failed);
    EXPECT_NE(error->native_code(), 0);
    EXPECT_EQ(errc_of([&] { return ring.collect(ticket); }), Errc::stale_ticket);
  }
  EXPECT_EQ(value_of(ring, ready), 1U);
  EXPECT_EQ(ring.poll(), 0U);
}

TEST_F(RingLostDevice, IsWhatAnUnarmedTicketFailsWithThoughNobodyPolled) {
  ReadbackRing ring = make(4);
  const Ticket one = ring.record(view(), stream);
  const Ticket other = ring.record(view(), stream);
  lose();
  EXPECT_EQ(errc_of([&] { return ring.submit(view(), stream); }), Errc::device_lost);
  EXPECT_EQ(errc_of([&] { return ring.collect(one); }), Errc::copy_failed);
  EXPECT_EQ(ring.state(other), SlotState::error);
  ring.discard(other);
  EXPECT_EQ(ring.statistics().outstanding, 0U);
}

TEST_F(RingLostDevice, RefusesNewSubmissionsWithTheFirstCause) {
  ReadbackRing ring = make(4);
  faults::fail_call(DriverCall::copy, 1, faults::Failure::sticky);
  const auto first = error_of([&] { submit(ring, 1); });
  ASSERT_TRUE(first);
  EXPECT_EQ(first->errc(), Errc::device_lost);
  EXPECT_NE(std::string{first->what()}.find("driver call copy"), std::string::npos);
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { return ring.submit(view(), stream); }, [&] { return ring.submit({}, stream); },
           [&] { return ring.record(view(), stream); }, [&] { return ring.try_submit(view(), stream); },
           [&] { return ring.submit_for(view(), stream, hang_guard); }}) {
    const auto error = error_of(call);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->errc(), Errc::device_lost);
    EXPECT_EQ(error->native_code(), first->native_code());
    EXPECT_NE(std::string{error->what()}.find("driver call copy"), std::string::npos);
  }
}

TEST(DeviceFault, OnlyTheFirstCauseCounts) {
  tailrace::detail::DeviceFault fault;
  fault.set({.outcome = tailrace::backend::Outcome::device_lost, .code = 7}, "copy");
  fault.set({.outcome = tailrace::backend::Outcome::device_lost, .code = 9}, "event_query");
  EXPECT_EQ(fault.error({}).native_code(), 7);
  EXPECT_NE(std::string{fault.error({}).what()}.find("driver call copy"), std::string::npos);
}

TEST_F(RingLostDevice, EndsTheWaitsOfAll) {
  ReadbackRing ring = make(2);
  Hold hold{stream};
  const Ticket first = submit(ring, 1);
  submit(ring, 2);
  std::vector<std::jthread> threads;
  threads.emplace_back([&] { EXPECT_EQ(ring.wait(first), SlotState::error); });
  threads.emplace_back([&] { EXPECT_EQ(ring.wait_for(first, hang_guard), SlotState::error); });
  threads.emplace_back(
      [&] { EXPECT_EQ(errc_of([&] { return ring.submit_for(view(), stream, hang_guard); }), Errc::device_lost); });
  EXPECT_TRUE(eventually([&] { return errc_of([&] { return ring.submit(view(), stream); }) == Errc::slot_promised; }));
  lose();
}

TEST_F(RingLostDevice, IsToldOnceHoweverMuchFollowsFromIt) {
  {
    ReadbackRing ring = make(4);
    const Ticket ready = submit(ring, 1);
    ring.wait(ready);
    Hold hold{stream};
    const Ticket pending = submit(ring, 2);
    static_cast<void>(ring.record(view(), stream));
    lose();
    for (int again = 0; again < 100; ++again) {
      ring.poll();
      static_cast<void>(ring.state(pending));
      EXPECT_EQ(errc_of([&] { return ring.submit(view(), stream); }), Errc::device_lost);
    }
    const auto report = ring.close(hang_guard);
    EXPECT_EQ(report.uncollected, 1U);
    EXPECT_EQ(report.failed, 2U);
  }
  ASSERT_EQ(log.messages().size(), 1U);
  EXPECT_NE(log.messages()[0].find("Fix: "), std::string::npos);
}

TEST_F(RingLostDevice, IsFoundByTheDestructorToo) {
  {
    ReadbackRing ring = make(4);
    Hold hold{stream};
    submit(ring, 1);
    lose();
  }
  EXPECT_EQ(log.messages().size(), 1U);
}

TEST_F(RingLostDevice, DoesNotConcernTheOtherDevice) {
  ASSERT_GE(device_count(), 2);
  use_device(1);
  {
    Buffer there{word};
    Stream producer;
    ReadbackRing ring{tailrace::Device{1}, options(2)};
    lose();
    EXPECT_EQ(ring.collect(ring.submit({there.data(), word}, producer)).size(), word);
  }
  use_device(0);
}

}  // namespace
