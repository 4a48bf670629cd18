// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// submit_for(): waiting for a slot, first come first served.

#include "tests/support/ring.hpp"

#include <atomic>

namespace {

using namespace test;

class RingLine : public RingTest {
 protected:
  /// A ring whose two slots hold results that nobody has collected.
  ReadbackRing make_full() {
    ReadbackRing ring = make(2);
    held = {submit(ring, 1), submit(ring, 2)};
    ring.wait_all(held);
    return ring;
  }
  std::vector<Ticket> held;
};

TEST_F(RingLine, TakesAFreeSlotAtOnce) {
  ReadbackRing ring = make(2);
  const Ticket ticket = ring.submit_for(view(), stream, std::chrono::nanoseconds{0});
  EXPECT_EQ(ring.collect(ticket).size(), word);
}

TEST_F(RingLine, TimesOutForAThreadThatHoldsAllSlotsItself) {
  ReadbackRing ring = make_full();
  const auto error = error_of([&] { return ring.submit_for(view(), stream, std::chrono::milliseconds{5}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->errc(), Errc::timed_out);
  EXPECT_NE(std::string{error->what()}.find("uncollected"), std::string::npos);
  EXPECT_EQ(error->details().slot, 0U);
  ring.discard(held[0]);
  EXPECT_EQ(ring.submit_for(view(), stream, hang_guard).slot(), 0U);
}

TEST_F(RingLine, GoesOnWhateverFreesTheSlot) {
  const auto frees = [this](auto&& free_it) {
    ReadbackRing ring = make_full();
    std::atomic<bool> through{false};
    std::jthread waiter{[&] {
      const Ticket ticket = ring.submit_for(view(), stream, hang_guard);
      through = true;
      EXPECT_EQ(ring.wait(ticket), SlotState::ready);
    }};
    // In line, so that others are refused.
    EXPECT_TRUE(
        eventually([&] { return errc_of([&] { return ring.submit(view(), stream); }) == Errc::slot_promised; }));
    EXPECT_FALSE(through);
    free_it(ring);
    waiter.join();
    EXPECT_TRUE(through);
    ring.discard(held[1]);
  };
  frees([&](ReadbackRing& ring) { ring.discard(held[0]); });
  frees([&](ReadbackRing& ring) { ring.visit(held[0], [](std::span<const std::byte>) {}); });
  frees(
      [&](ReadbackRing& ring) { EXPECT_THROW(ring.visit(held[0], [](std::span<const std::byte>) { throw 1; }), int); });
}

TEST_F(RingLine, OthersAreRefusedWhileTheSlotIsPromised) {
  ReadbackRing ring = make_full();
  std::jthread waiter{[&] { return ring.submit_for(view(), stream, hang_guard); }};
  EXPECT_TRUE(eventually([&] { return errc_of([&] { return ring.submit(view(), stream); }) == Errc::slot_promised; }));
  EXPECT_EQ(ring.try_submit(view(), stream), std::nullopt);
  EXPECT_EQ(errc_of([&] { return ring.record(view(), stream); }), Errc::slot_promised);
  EXPECT_EQ(errc_of([&] { return ring.submit_for(view(), stream, std::chrono::milliseconds{1}); }), Errc::timed_out);
  ring.discard(held[0]);
}

TEST_F(RingLine, LetsTheNextOneInWhenTheFirstTimesOut) {
  ReadbackRing ring = make_full();
  std::atomic<bool> gave_up{false};
  std::jthread first{[&] {
    EXPECT_EQ(errc_of([&] { return ring.submit_for(view(), stream, std::chrono::milliseconds{30}); }), Errc::timed_out);
    gave_up = true;
  }};
  EXPECT_TRUE(eventually([&] { return gave_up || ring.try_submit(view(), stream) == std::nullopt; }));
  std::jthread second{[&] { EXPECT_EQ(ring.submit_for(view(), stream, hang_guard).slot(), 0U); }};
  first.join();
  ring.discard(held[0]);
}

TEST_F(RingLine, StarvesNobodyOfThirtyTwo) {
  constexpr int waiters = 32;
  constexpr int rounds = 10;
  ReadbackRing ring = make_full();
  std::vector<int> turns(waiters, 0);
  std::atomic<int> done{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < waiters; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < rounds; ++round) {
        const Ticket ticket = ring.submit_for(view(), stream, hang_guard);
        ring.visit(ticket, [&](std::span<const std::byte>) { ++turns[static_cast<std::size_t>(i)]; });
      }
      ++done;
    });
  }
  ring.discard(held[0]);
  ring.discard(held[1]);
  threads.clear();
  EXPECT_EQ(done, waiters);
  for (const int n : turns) EXPECT_EQ(n, rounds);
}

TEST_F(RingLine, ServesInTheOrderOfArrival) {
  for (int round = 0; round < 50; ++round) {
    ReadbackRing ring = make_full();
    std::optional<Ticket> earlier;
    std::jthread waiter{[&] { earlier = ring.submit_for(view(), stream, hang_guard); }};
    ASSERT_TRUE(
        eventually([&] { return errc_of([&] { return ring.submit(view(), stream); }) == Errc::slot_promised; }));
    std::jthread freer{[&] {
      ring.discard(held[0]);
      ring.discard(held[1]);
    }};
    const Ticket later = ring.submit_for(view(), stream, hang_guard);
    waiter.join();
    freer.join();
    EXPECT_EQ(earlier->sequence(), 2U);
    EXPECT_EQ(later.sequence(), 3U);
    ring.wait_all(std::vector{*earlier, later});
    ring.discard(*earlier);
    ring.discard(later);
  }
}

}  // namespace
