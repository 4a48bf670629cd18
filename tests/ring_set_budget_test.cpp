// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

#include <tailrace/error.hpp>
#include <tailrace/ring_set.hpp>
#include <tailrace/testing.hpp>

#include "tests/support/readbacks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tailrace::Device;
using tailrace::DeviceView;
using tailrace::DriverCall;
using tailrace::Errc;
using tailrace::Error;
using tailrace::RingSet;
using tailrace::RingSetOptions;
using tailrace::Ticket;
using test::error_of;
namespace faults = tailrace::control;

constexpr std::size_t page = 4096;

class RingSetBudgetTest : public testing::Test {
 protected:
  const Device device{0};
  test::Stream stream;
  test::Stream other_stream;
  test::Buffer source = test::on_device(test::pattern(64 * page));
  const faults::Resources before = faults::resources();

  ~RingSetBudgetTest() override { faults::clear_failures(); }

  [[nodiscard]] DeviceView bytes(std::size_t count) const { return {source.data(), count}; }
  /// A result of this many pages, there and back.
  void use(RingSet& set, std::size_t pages) const {
    const Ticket ticket = set.submit(bytes(pages * page), stream);
    EXPECT_EQ(set.collect(ticket), test::pattern(pages * page));
  }
  /// What the set says that it holds is what is really allocated.
  void expect_exact_account(const RingSet& set) const {
    EXPECT_EQ(faults::resources().pinned_bytes - before.pinned_bytes, set.pinned_bytes());
    EXPECT_EQ(set.statistics().pinned_bytes, set.pinned_bytes());
    EXPECT_LE(set.pinned_bytes(), set.pinned_budget());
  }
  void expect_nothing_left() const {
    const faults::Resources now = faults::resources();
    EXPECT_EQ(now.pinned_bytes, before.pinned_bytes);
    EXPECT_EQ(now.streams, before.streams);
    EXPECT_EQ(now.events, before.events);
  }
};

RingSetOptions with_budget(std::size_t pages, unsigned slots = 256) {
  return {.slots_per_ring = slots, .pinned_budget = pages * page, .lanes = 1};
}

TEST_F(RingSetBudgetTest, GivesARingAsManySlotsAsFitIntoAQuarterButTwoAtLeast) {
  RingSet set{device, with_budget(16)};
  EXPECT_EQ(set.slots_per_ring(), 256U);
  EXPECT_EQ(set.ring_for(page)->slots(), 4U);
  EXPECT_EQ(set.ring_for(3 * page)->slots(), 2U);
  EXPECT_EQ(set.pinned_bytes(), 10 * page);
  expect_exact_account(set);
}

TEST_F(RingSetBudgetTest, SharesTheQuarterAmongTheLanesOfAClass) {
  RingSetOptions options = with_budget(32, 4);
  options.lanes = 8;
  RingSet set{device, options};
  std::vector<test::Stream> streams(5);
  for (test::Stream& producer : streams) static_cast<void>(set.collect(set.submit(bytes(page), producer)));
  EXPECT_EQ(set.rings(), 2U);
  EXPECT_EQ(set.pinned_bytes(), 8 * page);
  expect_exact_account(set);
}

TEST_F(RingSetBudgetTest, GivesUpTheRingThatWasIdleLongest) {
  RingSet set{device, with_budget(8, 2)};
  use(set, 1);
  const Ticket of_first = set.submit(bytes(page), stream);
  static_cast<void>(set.collect(of_first));
  use(set, 2);
  const Ticket again = set.submit(bytes(page), stream);
  EXPECT_EQ(again.ring(), of_first.ring());
  static_cast<void>(set.collect(again));
  use(set, 3);  // needs 6 pages of 8, of which 6 are held
  EXPECT_EQ(set.existing_ring_for(2 * page), nullptr);
  EXPECT_NE(set.existing_ring_for(page), nullptr);
  EXPECT_EQ(set.pinned_bytes(), 8 * page);
  use(set, 4);
  EXPECT_EQ(set.rings(), 1U);
  try {
    set.wait(again);
    ADD_FAILURE() << "its ring was given up";
  } catch (const Error& error) {
    EXPECT_EQ(error.errc(), Errc::stale_ticket);
    EXPECT_EQ(error.details().operation, "wait");
  }
  EXPECT_EQ(set.statistics().collected, 6U);
  expect_exact_account(set);
}

TEST_F(RingSetBudgetTest, NeverGivesUpARingInUseAndSaysHowMuchIsHeldAndIdle) {
  RingSet set{device, with_budget(10, 2)};
  const Ticket waiting = set.submit(bytes(page), stream);
  set.wait(waiting);
  const auto handle = set.ring_for(2 * page);
  try {
    static_cast<void>(set.submit(bytes(3 * page), stream));
    FAIL() << "there was no room";
  } catch (const Error& error) {
    EXPECT_EQ(error.errc(), Errc::budget_exceeded);
    const std::string text = error.what();
    EXPECT_NE(text.find("24576 are held and 0 of these are idle"), std::string::npos) << text;
    EXPECT_NE(text.find("Fix: "), std::string::npos) << text;
    EXPECT_EQ(error.details().operation, "submit");
    EXPECT_EQ(error.details().ring, "ring set");
  }
  EXPECT_EQ(set.existing_ring_for(2 * page), handle);
  EXPECT_EQ(set.collect(waiting), test::pattern(page));
  use(set, 3);
  EXPECT_EQ(set.existing_ring_for(page), nullptr);
  EXPECT_EQ(error_of([&] { static_cast<void>(set.ring_for(64 * page)); }), Errc::budget_exceeded);
}

/// The driver's own memory: never a slab, whose pages would all be touched.
class DriverSource : public tailrace::PinnedSource {
 public:
  void* allocate(std::size_t count) override { return test::pinned_allocate(count); }
  void deallocate(void* memory, std::size_t /*count*/) noexcept override { test::pinned_free(memory); }
};

// As eight ranks of a node, each with a budget that the others know nothing of.
TEST_F(RingSetBudgetTest, EightSetsWithDefaultsReachTheSumOfTheirBudgets) {
  const std::size_t budget = tailrace::default_pinned_budget();
  const std::size_t quarter = budget / 4 / 256 / page * page;  // the capacity of which 256 slots take a quarter
  std::vector<std::unique_ptr<RingSet>> sets;
  std::size_t sum = 0;
  for (int rank = 0; rank < 8; ++rank) {
    sets.push_back(std::make_unique<RingSet>(
        device, RingSetOptions{.lanes = 1, .pinned_source = std::make_shared<DriverSource>()}));
    // Classes beside each other, each nearly a quarter; how nearly is for the smallest budget a matter of pages.
    for (std::size_t i = 0; i < 4; ++i) static_cast<void>(sets.back()->ring_for(quarter - i * page));
    EXPECT_LE(sets.back()->pinned_bytes(), budget);
    sum += sets.back()->pinned_bytes();
  }
  EXPECT_EQ(faults::resources().pinned_bytes - before.pinned_bytes, sum);
  EXPECT_LE(sum, 8 * budget);
  EXPECT_GE(sum, budget > (64U << 20) ? 8 * (budget / 100 * 95) : 8 * (budget / 8 * 5));
}

TEST_F(RingSetBudgetTest, FindsARingIdleWhoseDiscardedCopyIsOver) {
  RingSet set{device, with_budget(4, 2)};
  {
    const test::Hold hold{stream};
    set.discard(set.submit(bytes(page), stream));
    EXPECT_EQ(error_of([&] { return set.submit(bytes(2 * page), other_stream); }), Errc::budget_exceeded);
  }
  const Ticket last = set.submit(bytes(page), stream);
  set.wait(last);  // the discarded one was before it
  set.discard(last);
  use(set, 2);
}

TEST_F(RingSetBudgetTest, AccountsExactlyForAThousandEvictionsSomeOfWhichFail) {
  RingSet set{device, with_budget(10, 2)};
  const std::uint64_t freed_before = faults::calls(DriverCall::pinned_free);
  for (std::size_t i = 0; i < 1250; ++i) {
    if (i % 10 == 7) {
      constexpr std::array calls{DriverCall::pinned_allocate, DriverCall::event_create, DriverCall::stream_create};
      faults::fail_call(calls[i / 10 % calls.size()], 1);
      EXPECT_TRUE(error_of([&] { return set.submit(bytes((1 + i % 5) * page), stream); }).has_value());
      faults::clear_failures();
    } else {
      use(set, 1 + i % 5);
    }
    expect_exact_account(set);
    ASSERT_EQ(faults::resources().pinned_allocations - before.pinned_allocations, set.rings());
  }
  EXPECT_EQ(set.statistics().collected, 1125U);
  EXPECT_GE(faults::calls(DriverCall::pinned_free) - freed_before, 1000U);
  EXPECT_EQ(test::last_error(), 0);
}

TEST_F(RingSetBudgetTest, KeepsWhatTheDriverDidNotTakeBackInTheAccount) {
  RingSet set{device, with_budget(8, 2)};
  use(set, 3);
  faults::fail_call(DriverCall::pinned_free, 1);
  EXPECT_EQ(error_of([&] { return set.submit(bytes(4 * page), stream); }), Errc::budget_exceeded);
  EXPECT_EQ(set.rings(), 0U);
  EXPECT_EQ(set.pinned_bytes(), 6 * page);
}

TEST_F(RingSetBudgetTest, LeavesNothingBehindWhereverTheMakingOfARingFails) {
  int failures = 0;
  for (std::uint64_t k = 1; k < 25; ++k) {
    RingSet set{device, with_budget(64, 4)};
    faults::fail_any_call(k);
    const auto failure = error_of([&] { static_cast<void>(set.ring_for(page)); });
    faults::clear_failures();
    if (!failure) continue;  // it was a call whose failure does no harm, or one that was not made
    ++failures;
    EXPECT_EQ(set.pinned_bytes(), 0U) << k;
    EXPECT_EQ(set.rings(), 0U) << k;
    EXPECT_EQ(test::last_error(), 0) << k;
    expect_nothing_left();
    use(set, 1);
  }
  EXPECT_GT(failures, 5);
  expect_nothing_left();
}

TEST_F(RingSetBudgetTest, TakesASmallerRingAfterOneThatCouldNotBePinned) {
  RingSet set{device, with_budget(1024, 4)};
  faults::limit_pinned_bytes(before.pinned_bytes + 16 * page);
  try {
    static_cast<void>(set.ring_for(32 * page));
    FAIL() << "there was no memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.errc(), Errc::out_of_pinned_memory);
    EXPECT_NE(std::string{error.what()}.find(std::to_string(128 * page)), std::string::npos) << error.what();
    EXPECT_NE(error.native_code(), 0);
  }
  use(set, 4);
  expect_exact_account(set);
  faults::limit_pinned_bytes(~std::size_t{0});
}

TEST_F(RingSetBudgetTest, LetsOthersSubmitPollAndCollectWhileAnAllocationIsBlocked) {
  RingSet set{device, {.slots_per_ring = 4, .pinned_budget = 1024 * page}};
  const Ticket early = set.submit(bytes(page), stream);
  faults::PinnedAllocationHold hold;
  std::thread blocked{[&] { use(set, 2); }};
  hold.wait_until_blocked();
  const Ticket late = set.submit(bytes(page), other_stream);  // a new submitter, who would have got a lane of its own
  static_cast<void>(set.poll());
  EXPECT_EQ(set.collect(early), test::pattern(page));
  EXPECT_EQ(set.collect(late), test::pattern(page));
  EXPECT_NE(set.ring_for(page), nullptr);
  EXPECT_EQ(set.existing_ring_for(2 * page), nullptr);
  EXPECT_EQ(set.rings(), 1U);
  EXPECT_EQ(set.statistics().collected, 2U);
  hold.release();
  blocked.join();
  const Ticket later = set.submit(bytes(page), other_stream);
  EXPECT_NE(later.ring(), late.ring());  // and gets it now
  static_cast<void>(set.collect(later));
}

/// Pinned memory whose allocations of at least this many bytes stop at a door.
class DoorSource : public tailrace::PinnedSource {
 public:
  explicit DoorSource(std::size_t large) : large_{large} {}
  void* allocate(std::size_t count) override {
    if (count >= large_) {
      ++arrived;
      arrived.notify_all();
      open.wait(false);
    }
    return test::pinned_allocate(count);
  }
  void deallocate(void* memory, std::size_t /*count*/) noexcept override {
    if (const auto then = std::exchange(at_deallocation, nullptr)) then();
    test::pinned_free(memory);
  }
  void open_door() {
    open = true;
    open.notify_all();
  }
  std::atomic<int> arrived{0};
  std::atomic<bool> open{false};
  std::function<void()> at_deallocation;

 private:
  const std::size_t large_;
};

TEST_F(RingSetBudgetTest, MakesRingsOfOtherClassesWhileAnAllocationIsBlocked) {
  const auto source_of_memory = std::make_shared<DoorSource>(8 * page);
  RingSet set{device, {.slots_per_ring = 2, .pinned_budget = 1024 * page, .pinned_source = source_of_memory}};
  std::thread blocked{[&] { use(set, 4); }};
  source_of_memory->arrived.wait(0);
  use(set, 1);
  EXPECT_EQ(set.ring_for(2 * page)->slots(), 2U);
  EXPECT_EQ(set.ring_for(page), set.existing_ring_for(page));
  EXPECT_EQ(set.rings(), 2U);
  source_of_memory->open_door();
  blocked.join();
  EXPECT_EQ(set.rings(), 3U);
}

TEST_F(RingSetBudgetTest, MakesOneRingForAllWhoWantTheFirstOfAClass) {
  const auto source_of_memory = std::make_shared<DoorSource>(8 * page);
  RingSet set{device, {.slots_per_ring = 2, .pinned_budget = 1024 * page, .pinned_source = source_of_memory}};
  std::array<std::shared_ptr<tailrace::ReadbackRing>, 4> rings;
  std::vector<std::thread> threads;
  for (auto& ring : rings) threads.emplace_back([&] { ring = set.ring_for(4 * page); });
  source_of_memory->arrived.wait(0);
  use(set, 1);
  source_of_memory->open_door();
  for (std::thread& thread : threads) thread.join();
  for (const auto& ring : rings) EXPECT_EQ(ring, rings.front());
  EXPECT_EQ(source_of_memory->arrived, 1);
}

TEST_F(RingSetBudgetTest, HoldsNoLockWhileMemoryIsGivenBack) {
  const auto source_of_memory = std::make_shared<DoorSource>(1024 * page);
  RingSetOptions options = with_budget(12, 2);
  options.pinned_source = source_of_memory;
  RingSet set{device, options};
  use(set, 1);
  use(set, 3);
  bool asked = false;
  source_of_memory->at_deallocation = [&] {
    std::thread{[&] { use(set, 2); }}.join();  // makes a ring
    asked = true;
  };
  use(set, 5);
  EXPECT_TRUE(asked);
}

TEST_F(RingSetBudgetTest, WaitsForRoomThatAnotherThreadIsMaking) {
  const auto source_of_memory = std::make_shared<DoorSource>(1024 * page);
  RingSetOptions options = with_budget(8, 2);
  options.pinned_source = source_of_memory;
  RingSet set{device, options};
  use(set, 4);
  std::future<void> other;
  source_of_memory->at_deallocation = [&] {
    other = std::async(std::launch::async, [&] { use(set, 2); });  // nothing is idle by now, and nothing free yet
    EXPECT_EQ(other.wait_for(50ms), std::future_status::timeout);
  };
  use(set, 1);
  other.get();
  EXPECT_EQ(set.rings(), 2U);
}

TEST_F(RingSetBudgetTest, ClosesWithoutWaitingForABlockedAllocation) {
  RingSet set{device, {.slots_per_ring = 4, .pinned_budget = 1024 * page}};
  faults::PinnedAllocationHold hold;
  std::thread blocked{[&] { EXPECT_EQ(error_of([&] { return set.submit(bytes(page), stream); }), Errc::closed); }};
  hold.wait_until_blocked();
  EXPECT_TRUE(set.close(10s).drained);
  hold.release();
  blocked.join();
  EXPECT_EQ(set.pinned_bytes(), 0U);
  expect_nothing_left();
}

TEST_F(RingSetBudgetTest, HoldsUnderThreadsThatDriveEachOthersRingsOut) {
  RingSet set{device, with_budget(12, 2)};
  std::array<std::thread, 4> users;
  std::array<int, users.size()> wrong{};
  for (std::size_t user = 0; user < users.size(); ++user) {
    users[user] = std::thread{[&, user] {
      for (std::size_t i = 0; i < 200; ++i) {
        const std::size_t size = 1 + (i * 3 + user) % 4 * page;
        try {
          const Ticket ticket = set.submit(bytes(size), stream);
          static_cast<void>(set.poll());
          wrong[user] += set.collect(ticket) == test::pattern(size) ? 0 : 1;
        } catch (const Error& error) {
          // The budget is for the others, or the two slots are.
          const bool fair = error.errc() == Errc::budget_exceeded || error.errc() == Errc::slot_pending ||
                            error.errc() == Errc::slot_ready || error.errc() == Errc::slot_reading;
          wrong[user] += fair ? 0 : 1;
        }
      }
    }};
  }
  for (std::thread& user : users) user.join();
  EXPECT_EQ(wrong, (std::array<int, users.size()>{}));
  expect_exact_account(set);
  EXPECT_EQ(set.statistics().outstanding, 0U);
}

}  // namespace
