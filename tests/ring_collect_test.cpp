// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Visiting, collecting and discarding: each result is taken once, and nothing else is ever handed out.

#include "tests/support/ring.hpp"

#include <atomic>
#include <cstdlib>
#include <new>
#include <numeric>

namespace {
thread_local bool allocations_fail = false;
}  // namespace

// For the test of a failed allocation. Plain malloc otherwise; not inline, so that compilers see new and delete match.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const memory = allocations_fail ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace test;

using RingCollect = RingTest;

TEST_F(RingCollect, VisitPassesTheBytesInPlaceAndReturnsWhatTheVisitorReturns) {
  ReadbackRing ring = make(2);
  EXPECT_EQ(ring.visit(submit(ring, 1), [](std::span<const std::byte> bytes) { return bytes.size(); }), word);
  int number = 5;
  int& reference = ring.visit(submit(ring, 1), [&](std::span<const std::byte>) -> int& { return number; });
  EXPECT_EQ(&reference, &number);
  auto owner = ring.visit(submit(ring, 1), [](std::span<const std::byte>) { return std::make_unique<int>(6); });
  EXPECT_EQ(*owner, 6);
  EXPECT_TRUE(ring.try_submit(view(), stream));
}

TEST_F(RingCollect, AllFormsReturnTheSameBytes) {
  ReadbackRing ring = make(2);
  stamp(buffer, 0, 3, 0x0102030405060708, stream);
  const auto next = [&] {
    const Ticket ticket = ring.submit(view(3), stream);
    ring.wait(ticket);
    return ticket;
  };
  const std::vector<std::uint64_t> expected(3, 0x0102030405060708);
  std::vector<std::uint64_t> words(3);

  EXPECT_EQ(ring.collect(next(), std::as_writable_bytes(std::span{words})), 24U);
  EXPECT_EQ(words, expected);
  words.assign(3, 0);
  EXPECT_EQ(ring.try_collect(next(), std::as_writable_bytes(std::span{words})), 24U);
  EXPECT_EQ(words, expected);
  words.clear();
  EXPECT_EQ(ring.collect(next(), words), 24U);
  EXPECT_EQ(words, expected);
  words.clear();
  EXPECT_EQ(ring.try_collect(next(), words), 24U);
  EXPECT_EQ(words, expected);
  EXPECT_EQ(ring.collect(next()).size(), 24U);
  EXPECT_EQ(ring.try_collect(next())->size(), 24U);
  EXPECT_EQ(ring.visit<std::uint64_t>(next(), [](std::span<const std::uint64_t> w) { return w[2]; }), expected[2]);
  EXPECT_TRUE(
      ring.try_visit<std::uint64_t>(next(), [&](std::span<const std::uint64_t> w) { EXPECT_EQ(w[0], expected[0]); }));
  EXPECT_EQ(ring.statistics().collected, 8U);
  EXPECT_EQ(ring.statistics().outstanding, 0U);
}

TEST_F(RingCollect, ReusesTheCapacityOfAVector) {
  ReadbackRing ring = make(2);
  std::vector<std::byte> bytes(100);
  const std::byte* const data = bytes.data();
  ring.collect(submit(ring, 1), bytes);
  EXPECT_EQ(bytes.size(), word);
  EXPECT_EQ(bytes.data(), data);
}

TEST_F(RingCollect, NothingOfAPendingTicketCanBeReached) {
  ReadbackRing ring = make(2);
  Hold hold{stream};
  const Ticket ticket = submit(ring, 1);
  std::vector<std::byte> bytes(word, std::byte{0x5a});
  for (int again = 0; again < 100; ++again) {
    EXPECT_FALSE(ring.try_visit(ticket, [](std::span<const std::byte>) { ADD_FAILURE(); }));
    EXPECT_FALSE(ring.try_visit<std::uint64_t>(ticket, [](std::span<const std::uint64_t>) { ADD_FAILURE(); }));
    EXPECT_EQ(ring.try_collect(ticket), std::nullopt);
    EXPECT_EQ(ring.try_collect(ticket, std::span{bytes}), std::nullopt);
    EXPECT_EQ(ring.try_collect(ticket, bytes), std::nullopt);
    EXPECT_EQ(ring.state(ticket), SlotState::pending);
  }
  EXPECT_EQ(bytes, std::vector(word, std::byte{0x5a}));
  hold.release();
  EXPECT_EQ(value_of(ring, ticket), 1U);
}

TEST_F(RingCollect, AResultThatDoesNotFitStaysReady) {
  ReadbackRing ring = make(2);
  const Ticket ticket = submit(ring, 4);
  std::vector<std::byte> small(word - 1);
  struct Odd {
    char bytes[3];
  };
  std::vector<Odd> odd;
  EXPECT_EQ(errc_of([&] { ring.collect(ticket, std::span{small}); }), Errc::buffer_too_small);
  EXPECT_EQ(errc_of([&] { ring.try_collect(ticket, std::span{small}); }), Errc::buffer_too_small);
  EXPECT_EQ(errc_of([&] { ring.visit<Odd>(ticket, [](std::span<const Odd>) { ADD_FAILURE(); }); }),
            Errc::size_mismatch);
  EXPECT_EQ(errc_of([&] { ring.collect(ticket, odd); }), Errc::size_mismatch);
  std::vector<std::byte> empty;
  allocations_fail = true;
  EXPECT_THROW(ring.collect(ticket, empty), std::bad_alloc);
  allocations_fail = false;
  EXPECT_EQ(ring.state(ticket), SlotState::ready);
  EXPECT_EQ(ring.statistics().collected, 0U);
  EXPECT_EQ(value_of(ring, ticket), 4U);
}

TEST_F(RingCollect, RefusesEveryStaleTicket) {
  ReadbackRing ring = make(2);
  ReadbackRing other = make(2);
  const Ticket used = submit(ring, 1);
  value_of(ring, used);
  const Ticket discarded = submit(ring, 2);
  ring.wait(discarded);
  ring.discard(discarded);
  const Ticket moved_on = used;  // its slot has another occupant now
  const Ticket successor = submit(ring, 3);
  ASSERT_EQ(successor.slot(), moved_on.slot());
  const Ticket foreign = submit(other, 4);
  for (const Ticket& ticket : {used, discarded, moved_on, foreign, Ticket{}}) {
    EXPECT_EQ(errc_of([&] { ring.visit(ticket, [](std::span<const std::byte>) { ADD_FAILURE(); }); }),
              Errc::stale_ticket);
    EXPECT_EQ(errc_of([&] { return ring.try_collect(ticket); }), Errc::stale_ticket);
    EXPECT_EQ(errc_of([&] { ring.wait(ticket); }), Errc::stale_ticket);
    EXPECT_EQ(errc_of([&] { ring.wait_for(ticket, hang_guard); }), Errc::stale_ticket);
    EXPECT_EQ(errc_of([&] { ring.discard(ticket); }), Errc::stale_ticket);
    EXPECT_EQ(errc_of([&] { ring.guard_source(ticket, stream); }), Errc::stale_ticket);
    EXPECT_EQ(errc_of([&] { ring.arm(ticket, stream); }), Errc::stale_ticket);
  }
  EXPECT_EQ(ring.state(used), SlotState::free);
  EXPECT_EQ(errc_of([&] { return ring.state(foreign); }), Errc::stale_ticket);
  EXPECT_EQ(value_of(ring, successor), 3U);
  EXPECT_EQ(value_of(other, foreign), 4U);
}

TEST_F(RingCollect, AStaleTicketIsStaleAlsoIfItsSlotIsRecordedAnew) {
  ReadbackRing ring = make(2);
  const Ticket first = submit(ring, 1);
  value_of(ring, first);
  value_of(ring, submit(ring, 2));
  const Ticket recorded = ring.record(view(), stream);
  ASSERT_EQ(recorded.slot(), first.slot());
  EXPECT_EQ(errc_of([&] { ring.discard(first); }), Errc::stale_ticket);
  ring.arm(recorded, stream);
  ring.discard(recorded);
}

TEST_F(RingCollect, WhileItIsReadATicketIsShownAsReadyAndStaleToOthers) {
  ReadbackRing ring = make(2);
  const Ticket ticket = submit(ring, 1);
  ring.visit(ticket, [&](std::span<const std::byte>) {
    EXPECT_EQ(ring.state(ticket), SlotState::ready);
    EXPECT_EQ(errc_of([&] { return ring.collect(ticket); }), Errc::stale_ticket);
    EXPECT_EQ(errc_of([&] { return ring.try_collect(ticket); }), Errc::stale_ticket);
    EXPECT_EQ(errc_of([&] { ring.discard(ticket); }), Errc::stale_ticket);
    EXPECT_EQ(errc_of([&] { ring.wait(ticket); }), Errc::stale_ticket);
  });
  EXPECT_EQ(ring.state(ticket), SlotState::free);
}

TEST_F(RingCollect, AVisitorMaySubmitCollectAndPoll) {
  ReadbackRing ring = make(3);
  const Ticket first = submit(ring, 1);
  const Ticket second = submit(ring, 2);
  ring.visit(first, [&](std::span<const std::byte>) {
    EXPECT_EQ(value_of(ring, second), 2U);
    EXPECT_EQ(value_of(ring, submit(ring, 3)), 3U);
    ring.poll();
  });
}

TEST_F(RingCollect, AVisitorMayWaitForAMutexThatACallerOfTheRingHolds) {
  ReadbackRing ring = make(3);
  const Ticket first = submit(ring, 1);
  const Ticket second = submit(ring, 2);
  std::mutex mutex;
  std::atomic<bool> locked{false};
  std::atomic<bool> visiting{false};
  std::jthread caller{[&] {
    const std::lock_guard lock{mutex};
    locked = true;
    EXPECT_TRUE(eventually([&] { return visiting.load(); }));
    EXPECT_EQ(value_of(ring, second), 2U);
    EXPECT_EQ(value_of(ring, submit(ring, 3)), 3U);
  }};
  EXPECT_TRUE(eventually([&] { return locked.load(); }));
  ring.visit(first, [&](std::span<const std::byte>) {
    visiting = true;
    const std::lock_guard lock{mutex};
  });
}

TEST_F(RingCollect, AVisitorThatThrowsFreesTheSlot) {
  ReadbackRing ring = make(2);
  const Ticket ticket = submit(ring, 1);
  EXPECT_THROW(ring.visit(ticket, [](std::span<const std::byte>) -> int { throw std::runtime_error{"mine"}; }),
               std::runtime_error);
  EXPECT_EQ(ring.state(ticket), SlotState::free);
  EXPECT_EQ(errc_of([&] { return ring.collect(ticket); }), Errc::stale_ticket);
  EXPECT_EQ(ring.statistics().outstanding, 0U);
}

TEST_F(RingCollect, ExactlyOneOfManyCollectorsWins) {
  ReadbackRing ring = make(2);
  for (std::uint64_t round = 0; round < 200; ++round) {
    const Ticket ticket = submit(ring, round);
    std::atomic<int> won{0};
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&, discards = i == 2 && round % 2 == 0] {
        const auto code = errc_of([&] {
          if (discards) return ring.discard(ticket);
          EXPECT_EQ(value_of(ring, ticket), round);
        });
        if (!code) ++won;
        EXPECT_TRUE(!code || code == Errc::stale_ticket);
      });
    }
    threads.clear();
    ASSERT_EQ(won, 1);
    ASSERT_TRUE(eventually([&] {
      ring.poll();
      return ring.statistics().outstanding == 0;
    }));
  }
}

TEST_F(RingCollect, DiscardingFreesAReadySlotAtOnceAndAPendingOneWhenItsCopyIsOver) {
  ReadbackRing ring = make(2);
  const Ticket ready = submit(ring, 1);
  ring.wait(ready);
  ring.discard(ready);
  EXPECT_EQ(ring.state(ready), SlotState::free);
  const Ticket second = submit(ring, 2);
  Hold hold{stream};
  const Ticket pending = submit(ring, 3);
  ring.discard(pending);
  EXPECT_EQ(ring.state(pending), SlotState::free);
  EXPECT_EQ(errc_of([&] { return ring.collect(pending); }), Errc::stale_ticket);
  EXPECT_EQ(value_of(ring, second), 2U);
  EXPECT_EQ(submit(ring, 4).slot(), 1U - pending.slot());
  EXPECT_EQ(errc_of([&] { submit(ring, 5); }), Errc::slot_discarded);
  hold.release();
  EXPECT_TRUE(eventually([&] {
    ring.poll();
    return !errc_of([&] { return ring.submit(view(), stream); });
  }));
  EXPECT_EQ(ring.statistics().discarded, 2U);
}

}  // namespace
