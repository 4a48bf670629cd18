// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// How a ring ends: by close(), and by its destructor.

#include "tests/support/ring.hpp"

#include <atomic>
#include <memory>

namespace {

using namespace test;
using std::chrono::milliseconds;

using RingClose = RingTest;

TEST_F(RingClose, DrainsAndReports) {
  ReadbackRing ring = make(4);
  const Ticket ready = submit(ring, 1);
  const Ticket also = submit(ring, 2);
  const auto report = ring.close(hang_guard);
  EXPECT_TRUE(report.drained);
  EXPECT_EQ(report.in_flight, 0U);
  EXPECT_EQ(report.uncollected, 2U);
  EXPECT_EQ(report.failed, 0U);
  // What is READY can still be collected; new submissions are refused.
  EXPECT_EQ(value_of(ring, ready), 1U);
  EXPECT_EQ(errc_of([&] { return ring.submit(view(), stream); }), Errc::closed);
  EXPECT_EQ(errc_of([&] { return ring.try_submit(view(), stream); }), Errc::closed);
  EXPECT_EQ(errc_of([&] { return ring.submit_for(view(), stream, hang_guard); }), Errc::closed);
  EXPECT_EQ(errc_of([&] { return ring.record(view(), stream); }), Errc::closed);
  EXPECT_EQ(ring.close(hang_guard).uncollected, 1U);
  EXPECT_EQ(value_of(ring, also), 2U);
}

TEST_F(RingClose, EndsAtItsBoundIfACopyDoesNot) {
  ReadbackRing ring = make(4);
  Hold hold{stream};
  const Ticket ticket = submit(ring, 1);
  const auto report = ring.close(milliseconds{5});
  EXPECT_FALSE(report.drained);
  EXPECT_EQ(report.in_flight, 1U);
  EXPECT_EQ(errc_of([&] { ring.wait(ticket); }), Errc::closed);
  hold.release();
  EXPECT_TRUE(ring.close(hang_guard).drained);
  EXPECT_EQ(value_of(ring, ticket), 1U);
}

TEST_F(RingClose, WakesEveryBlockedCallerOnce) {
  ReadbackRing ring = make(2);
  Hold hold{stream};
  const Ticket first = submit(ring, 1);
  submit(ring, 2);
  std::atomic<int> closed{0};
  const auto blocked = [&](auto call) {
    return std::jthread{[&, call] {
      if (errc_of(call) == Errc::closed) ++closed;
    }};
  };
  std::vector<std::jthread> threads;
  threads.push_back(blocked([&] { ring.wait(first); }));
  threads.push_back(blocked([&] { ring.wait_for(first, hang_guard); }));
  threads.push_back(blocked([&] { return ring.collect(first); }));
  threads.push_back(blocked([&] { ring.visit(first, [](std::span<const std::byte>) { ADD_FAILURE(); }); }));
  threads.push_back(blocked([&] { return ring.submit_for(view(), stream, hang_guard); }));
  EXPECT_TRUE(eventually([&] { return errc_of([&] { return ring.submit(view(), stream); }) == Errc::slot_promised; }));
  EXPECT_FALSE(ring.close(milliseconds{0}).drained);
  threads.clear();
  EXPECT_EQ(closed, 5);
}

TEST_F(RingClose, MayRaceSubmissionsAndCollectors) {
  for (int round = 0; round < 50; ++round) {
    ReadbackRing ring = make(4);
    std::atomic<int> started{0};
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        ++started;
        const auto code = errc_of([&] {
          for (;;) {
            const Ticket ticket = ring.submit_for(view(), stream, hang_guard);
            static_cast<void>(ring.collect(ticket));
          }
        });
        EXPECT_EQ(code, Errc::closed);
      });
    }
    EXPECT_TRUE(eventually([&] { return started == 3; }));
    EXPECT_TRUE(ring.close(hang_guard).drained);
  }
}

TEST_F(RingClose, ByTheDestructorWaitsForCopiesBeforeTheMemoryGoes) {
  std::optional<ReadbackRing> ring{make(2)};
  std::atomic<bool> gone{false};
  Hold hold{stream};
  submit(*ring, 1);
  std::jthread destroyer{[&] {
    ring.reset();
    gone = true;
  }};
  Stream other;
  other.synchronize();
  EXPECT_FALSE(gone);
  hold.release();
  destroyer.join();
  ASSERT_EQ(log.messages().size(), 1U);
  EXPECT_NE(log.messages()[0].find("1 results were never collected"), std::string::npos);
  EXPECT_EQ(log.messages()[0].find("are kept"), std::string::npos);
}

TEST_F(RingClose, ByTheDestructorWakesBlockedCallers) {
  auto ring = std::make_unique<ReadbackRing>(make(2));
  Hold hold{stream};
  const Ticket first = submit(*ring, 1);
  submit(*ring, 2);
  std::atomic<int> closed{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      if (errc_of([&] { return ring->submit_for(view(), stream, hang_guard); }) == Errc::closed) ++closed;
    });
  }
  EXPECT_TRUE(eventually([&] { return errc_of([&] { return ring->submit(view(), stream); }) == Errc::slot_promised; }));
  // All of them are inside: one refusal each, at their deadline or by the end of the ring, is all that they can get.
  EXPECT_TRUE(eventually([&] { return errc_of([&] { ring->wait_for(first, milliseconds{1}); }) == std::nullopt; }));
  ring->close(milliseconds{0});
  threads.clear();
  EXPECT_EQ(closed, 3);
  hold.release();
  ring.reset();
}

TEST_F(RingClose, ByTheDestructorKeepsMemoryThatACopyMayStillWrite) {
  Hold hold{stream};
  {
    RingOptions made = options(2);
    made.close_bound = milliseconds{1};
    ReadbackRing ring{tailrace::Device{0}, made};
    submit(ring, 1);
  }
  ASSERT_EQ(log.messages().size(), 1U);
  EXPECT_NE(log.messages()[0].find("8192 bytes of pinned memory are kept"), std::string::npos);
  hold.release();
  stream.synchronize();
}

TEST_F(RingClose, ByTheDestructorSaysNothingIfAllIsCollected) {
  {
    ReadbackRing ring = make(2);
    value_of(ring, submit(ring, 1));
    ring.discard(submit(ring, 2));
  }
  EXPECT_TRUE(log.messages().empty());
}

TEST_F(RingClose, SurvivesALogHandlerThatThrows) {
  RingOptions made = options(2);
  made.log = [](tailrace::LogLevel, std::string_view) { throw 1; };
  ReadbackRing ring{tailrace::Device{0}, made};
  submit(ring, 1);
}

TEST_F(RingClose, ByMoveAssignmentEndsTheRingThatWasThere) {
  ReadbackRing ring = make(2);
  submit(ring, 1);
  ring = make(4);
  EXPECT_EQ(ring.slots(), 4U);
  EXPECT_EQ(log.messages().size(), 1U);
}

// For a sanitizer: the ring is freed as soon as the last caller is out.
TEST_F(RingClose, ACallerThatTheDestructorWakesTouchesTheRingNoMore) {
  for (int round = 0; round < 50; ++round) {
    auto ring = std::make_unique<ReadbackRing>(make(2));
    for (const Ticket& ticket : {submit(*ring, 1), submit(*ring, 2)}) ring->wait(ticket);
    std::jthread waiter{[&inside = *ring, this] {
      EXPECT_EQ(errc_of([&] { return inside.submit_for(view(), stream, hang_guard); }), Errc::closed);
    }};
    EXPECT_TRUE(
        eventually([&] { return errc_of([&] { return ring->submit(view(), stream); }) == Errc::slot_promised; }));
    ring.reset();
  }
}

}  // namespace
