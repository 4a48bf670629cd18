// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

#include <tailrace/error.hpp>
#include <tailrace/ring_set.hpp>

#include "tests/support/readbacks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tailrace::Device;
using tailrace::DeviceView;
using tailrace::DriverCall;
using tailrace::Errc;
using tailrace::RingSet;
using tailrace::SlotState;
using tailrace::StreamRef;
using tailrace::Ticket;
using test::error_of;

class RingSetTest : public testing::Test {
 protected:
  const Device device{0};
  test::Stream stream;
  test::Buffer source = test::on_device(test::pattern(100'000));
  const std::vector<std::byte> content = test::pattern(100'000);

  [[nodiscard]] DeviceView bytes(std::size_t count, std::size_t offset = 0) const {
    return {source.data(), offset, count};
  }
  /// Collects the ticket: is this what was at the offset?
  bool is_right(RingSet& set, const Ticket& ticket, std::size_t offset = 0) const {
    const std::vector<std::byte> got = set.collect(ticket);
    return got.size() == ticket.size() && std::equal(got.begin(), got.end(), content.begin() + std::ptrdiff_t(offset));
  }
};

TEST_F(RingSetTest, MakesARingAtTheFirstUseOfItsClass) {
  RingSet set{device, {.slots_per_ring = 4}};
  EXPECT_EQ(set.rings(), 0U);
  EXPECT_EQ(set.pinned_bytes(), 0U);
  EXPECT_EQ(set.existing_ring_for(1), nullptr);
  const auto ring = set.ring_for(1);
  EXPECT_EQ(ring->capacity(), 4096U);
  EXPECT_EQ(ring->slots(), 4U);
  EXPECT_EQ(set.pinned_bytes(), ring->pinned_bytes());
  EXPECT_EQ(set.existing_ring_for(16), ring);
  EXPECT_EQ(set.ring_for(4096), ring);
  EXPECT_EQ(set.existing_ring_for(4097), nullptr);
  EXPECT_EQ(set.ring_for(4097)->capacity(), 8192U);
  EXPECT_EQ(set.rings(), 2U);
}

TEST_F(RingSetTest, RefusesALengthWhoseClassWouldOverflow) {
  RingSet set{device};
  EXPECT_EQ(error_of([&] { static_cast<void>(set.ring_for(~std::size_t{0})); }), Errc::region_overflow);
  EXPECT_EQ(error_of([&] { return set.submit(bytes(~std::size_t{0}), stream); }), Errc::region_overflow);
}

TEST_F(RingSetTest, MakesNoRingForWhatItRefuses) {
  RingSet set{device};
  EXPECT_EQ(error_of([&] { return set.submit({nullptr, 16}, stream); }), Errc::null_source);
  EXPECT_EQ(error_of([&] { return set.submit(DeviceView::pitched(source.data(), 64, 4, 32), stream); }),
            Errc::invalid_argument);
  EXPECT_EQ(set.rings(), 0U);
  EXPECT_EQ(set.pinned_bytes(), 0U);
}

TEST_F(RingSetTest, TakesTheSlotCountFromTheOptionThenTheEnvironment) {
  EXPECT_EQ(RingSet(device, {.slots_per_ring = 1}).slots_per_ring(), 2U);
  EXPECT_EQ(RingSet(device, {.slots_per_ring = 1000}).slots_per_ring(), 256U);
  const test::Log log;
  ASSERT_EQ(setenv("TAILRACE_RING_SLOTS", "0", 1), 0);
  EXPECT_EQ(RingSet(device, {.log = log.handler()}).slots_per_ring(), 2U);
  EXPECT_EQ(log.warnings().size(), 1U);
  EXPECT_EQ(RingSet(device, {.slots_per_ring = 5, .log = log.handler()}).slots_per_ring(), 5U);
  EXPECT_EQ(log.warnings().size(), 1U);
  ASSERT_EQ(unsetenv("TAILRACE_RING_SLOTS"), 0);
  EXPECT_EQ(RingSet(device).slots_per_ring(), 256U);
}

TEST_F(RingSetTest, TakesTheBudgetFromTheOptionThenTheEnvironmentAndRefusesGarbage) {
  EXPECT_EQ(RingSet(device).pinned_budget(), tailrace::default_pinned_budget());
  ASSERT_EQ(setenv("TAILRACE_PINNED_BUDGET", "3M", 1), 0);
  EXPECT_EQ(RingSet(device).pinned_budget(), 3U << 20);
  EXPECT_EQ(RingSet(device, {.pinned_budget = 12345}).pinned_budget(), 12345U);
  ASSERT_EQ(setenv("TAILRACE_PINNED_BUDGET", "3 buckets", 1), 0);
  EXPECT_EQ(error_of([&] { RingSet{device}; }), Errc::invalid_argument);
  ASSERT_EQ(unsetenv("TAILRACE_PINNED_BUDGET"), 0);
  EXPECT_EQ(error_of([&] { RingSet(device, {.pinned_budget = 0}); }), Errc::invalid_argument);
}

TEST_F(RingSetTest, BringsResultsOfAllSizesBackWhole) {
  RingSet set{device, {.slots_per_ring = 8}};
  std::vector<std::pair<Ticket, std::size_t>> tickets;
  for (const std::size_t size : {0U, 1U, 16U, 4095U, 4096U, 4097U, 70'000U}) {
    tickets.emplace_back(set.submit(bytes(size, size % 5), stream), size % 5);
  }
  for (const auto& [ticket, offset] : tickets) EXPECT_TRUE(is_right(set, ticket, offset)) << ticket.size();
}

TEST_F(RingSetTest, HasEveryCallOfARing) {
  RingSet set{device, {.slots_per_ring = 8}};
  const Ticket recorded = set.record(bytes(64), stream);
  EXPECT_EQ(error_of([&] { set.wait(recorded); }), Errc::not_armed);
  set.arm({&recorded, 1}, stream);
  EXPECT_EQ(set.wait(recorded), SlotState::ready);
  EXPECT_EQ(set.visit(recorded, [](std::span<const std::byte> got) { return got.size(); }), 64U);
  const Ticket given_up = *set.try_submit(bytes(64), stream);
  set.discard(given_up);
  EXPECT_EQ(set.state(given_up), SlotState::free);
  const std::array tickets{set.submit(bytes(64), stream), set.submit_for(bytes(5000), stream, 10s)};
  EXPECT_EQ(set.wait_all(tickets), 0U);
  EXPECT_EQ(set.wait_for(tickets[0], 10s), SlotState::ready);
  std::vector<std::byte> room(64);
  EXPECT_EQ(set.try_collect(tickets[0], std::span{room}), 64U);
  set.guard_source(tickets[1], stream);
  EXPECT_TRUE(set.try_visit<std::uint32_t>(tickets[1], [](std::span<const std::uint32_t>) {}));
  EXPECT_EQ(set.poll(), 0U);
}

TEST_F(RingSetTest, RefusesTicketsThatAreNotOfItsRings) {
  RingSet set{device, {.slots_per_ring = 4}};
  RingSet other{device, {.slots_per_ring = 4}};
  const Ticket ticket = set.submit(bytes(16), stream);
  EXPECT_EQ(error_of([&] { other.wait(ticket); }), Errc::stale_ticket);
  EXPECT_EQ(error_of([&] { set.wait(Ticket{}); }), Errc::stale_ticket);
  EXPECT_TRUE(is_right(set, ticket));
  EXPECT_EQ(error_of([&] { static_cast<void>(set.collect(ticket)); }), Errc::stale_ticket);
}

TEST_F(RingSetTest, IsSafeUnderConcurrentFirstUse) {
  constexpr std::size_t threads = 8;
  RingSet set{device, {.slots_per_ring = 16, .lanes = 1}};
  std::array<bool, threads> right{};
  const test::Gate start;
  std::vector<std::thread> users;
  for (std::size_t i = 0; i < threads; ++i) {
    users.emplace_back([&, i] {
      start.wait();
      right[i] = is_right(set, set.submit(bytes(100, i), stream), i);
    });
  }
  start.open();
  for (std::thread& user : users) user.join();
  for (std::size_t i = 0; i < threads; ++i) EXPECT_TRUE(right[i]) << i;
  EXPECT_EQ(set.rings(), 1U);
}

TEST_F(RingSetTest, GivesThreadsThatSubmitAtOnceLanesUpToTheLimit) {
  RingSet set{device, {.slots_per_ring = 8, .lanes = 3}};
  std::set<std::uint64_t> rings;
  std::size_t submitted = 0;
  std::mutex mutex;
  std::array<std::thread, 5> users;  // each has a thread id of its own as long as all are there
  const test::Gate all_submitted;
  for (std::thread& user : users) {
    user = std::thread{[&] {
      {
        const std::lock_guard lock{mutex};  // nobody meets an allocation of another's
        const Ticket first = set.submit(bytes(16), stream);
        const Ticket second = set.submit(bytes(16), stream);
        EXPECT_EQ(first.ring(), second.ring());  // one submitter, one lane: in order
        EXPECT_TRUE(is_right(set, first) && is_right(set, second));
        rings.insert(first.ring());
        if (++submitted == users.size()) all_submitted.open();
      }
      all_submitted.wait();
    }};
  }
  for (std::thread& user : users) user.join();
  EXPECT_EQ(rings.size(), 3U);
  EXPECT_EQ(set.rings(), 3U);
}

TEST_F(RingSetTest, LetsAStalledProducerHoldUpNoOtherOne) {
  RingSet set{device, {.slots_per_ring = 4, .lanes = 2}};
  test::Stream other;
  static_cast<void>(set.collect(set.submit(bytes(16), stream)));  // both lanes are there before the hold
  static_cast<void>(set.collect(set.submit(bytes(16), other)));
  test::Hold hold{stream};
  const Ticket stalled = set.submit(bytes(16), stream);
  EXPECT_TRUE(is_right(set, set.submit(bytes(16), other)));
  EXPECT_EQ(set.state(stalled), SlotState::pending);
  hold.release();
  EXPECT_TRUE(is_right(set, stalled));
}

TEST_F(RingSetTest, UsesASmallPartOfACoreWhileAWaiterIsBlocked) {
  RingSet set{device, {.slots_per_ring = 2}};
  static_cast<void>(set.ring_for(16));
  test::Hold hold{stream};
  const Ticket ticket = set.submit(bytes(16), stream);
  const test::CpuShare share;
  EXPECT_EQ(set.wait_for(ticket, 300ms), SlotState::pending);
  EXPECT_LT(share.now(), test::small_share);
  hold.release();
  EXPECT_TRUE(is_right(set, ticket));
}

TEST_F(RingSetTest, AllocatesNothingMoreAfterWarmUp) {
  RingSet set{device, {.slots_per_ring = 8}};
  const auto round = [&](std::size_t i) {
    const std::array tickets{set.submit(bytes(i % 4096), stream), set.submit(bytes(4096 + i % 4096), stream),
                             set.submit(bytes(i % 50'000), stream)};
    for (const Ticket& ticket : tickets) static_cast<void>(set.collect(ticket));
  };
  for (std::size_t i = 0; i < 50'000; i += 1000) round(i);
  const tailrace::DriverCalls before = set.statistics().calls;
  for (std::size_t i = 0; i < 3500; ++i) round(i * 13);
  const tailrace::DriverCalls after = set.statistics().calls;
  for (const DriverCall call :
       {DriverCall::pinned_allocate, DriverCall::pinned_free, DriverCall::pinned_register, DriverCall::event_create,
        DriverCall::event_destroy, DriverCall::stream_create, DriverCall::stream_destroy}) {
    EXPECT_EQ(after[call], before[call]) << to_string(call);
  }
}

TEST_F(RingSetTest, WakesBlockedCallersWhenItIsClosed) {
  RingSet set{device, {.slots_per_ring = 4}};
  const Ticket done = set.submit(bytes(16), stream);
  set.wait(done);
  test::Hold hold{stream};
  const Ticket stalled = set.submit(bytes(16), stream);
  std::thread waiter{[&] { EXPECT_EQ(error_of([&] { set.wait(stalled); }), Errc::closed); }};
  EXPECT_FALSE(set.close(0ns).drained);
  waiter.join();
  EXPECT_EQ(error_of([&] { return set.submit(bytes(16), stream); }), Errc::closed);
  EXPECT_EQ(error_of([&] { static_cast<void>(set.ring_for(100'000)); }), Errc::closed);
  EXPECT_TRUE(is_right(set, done));
  hold.release();
  EXPECT_TRUE(set.close(10s).drained);
  EXPECT_TRUE(is_right(set, stalled));
}

TEST_F(RingSetTest, WakesAWaiterAndLeavesHandlesUsableWhenItIsDestroyed) {
  auto set = std::make_unique<RingSet>(device, tailrace::RingSetOptions{.slots_per_ring = 4, .close_bound = 1ms});
  const auto handle = set->ring_for(16);
  const Ticket done = handle->submit(bytes(16), stream);
  handle->wait(done);
  test::Hold hold{stream};
  const Ticket stalled = set->submit(bytes(16), stream);
  const test::Gate waiting;
  std::thread waiter{[&, &inside = *set] {
    EXPECT_EQ(inside.wait_for(stalled, 1ms), SlotState::pending);
    waiting.open();
    EXPECT_EQ(error_of([&] { handle->wait(stalled); }), Errc::closed);
  }};
  waiting.wait();
  set.reset();
  waiter.join();
  EXPECT_EQ(handle->collect(done).size(), 16U);
  EXPECT_EQ(error_of([&] { return handle->submit(bytes(16), stream); }), Errc::closed);
  hold.release();
  EXPECT_TRUE(handle->close(10s).drained);
  EXPECT_EQ(handle->collect(stalled).size(), 16U);
}

TEST_F(RingSetTest, AddsUpTheStatisticsOfItsRings) {
  RingSet set{device, {.slots_per_ring = 4}};
  for (const std::size_t size : {16U, 5000U, 9000U}) EXPECT_TRUE(is_right(set, set.submit(bytes(size), stream)));
  const Ticket open = set.submit(bytes(16), stream);
  const tailrace::Statistics sum = set.statistics();
  EXPECT_EQ(sum.submissions, 4U);
  EXPECT_EQ(sum.collected, 3U);
  EXPECT_EQ(sum.outstanding, 1U);
  EXPECT_EQ(sum.bytes, 16U + 5000 + 9000 + 16);
  EXPECT_EQ(sum.pinned_bytes, set.pinned_bytes());
  set.discard(open);
}

TEST_F(RingSetTest, TakesItsTicketsAlongWhenItIsMoved) {
  RingSet set{device, {.slots_per_ring = 4}};
  const Ticket ticket = set.submit(bytes(16), stream);
  RingSet moved{std::move(set)};
  EXPECT_EQ(error_of([&] { static_cast<void>(set.rings()); }), Errc::closed);  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(is_right(moved, ticket));
  RingSet assigned{device, {.slots_per_ring = 2}};
  assigned = std::move(moved);
  EXPECT_EQ(assigned.slots_per_ring(), 4U);
  EXPECT_TRUE(is_right(assigned, assigned.submit(bytes(16), stream)));
}

}  // namespace
