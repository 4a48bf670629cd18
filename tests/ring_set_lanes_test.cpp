// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// How submitters that come at once are given lanes of their own, without ever being out of order.

#include <tailrace/ring_set.hpp>

#include "tests/support/copies.hpp"
#include "tests/support/ring.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <set>
#include <stop_token>
#include <thread>
#include <vector>

namespace {

using tailrace::RingSet;
using tailrace::SlotState;
using tailrace::Ticket;
using tailrace::test::Gate;
using test::Hold;
using test::Stream;

/// Pinned memory of which one allocation is held up on demand, so that a lane is being made as long as the test wants.
class SlowMemory : public tailrace::PinnedSource {
 public:
  void* allocate(std::size_t bytes) override {
    if (next_is_slow_.exchange(false)) {
      begun.open();
      go_on.wait();
    }
    return test::pinned_allocate(bytes);
  }
  void deallocate(void* memory, std::size_t /*bytes*/) noexcept override { test::pinned_free(memory); }
  void make_next_slow() { next_is_slow_ = true; }

  const Gate begun;
  const Gate go_on;

 private:
  std::atomic<bool> next_is_slow_{false};
};

class RingSetLanes : public testing::Test {
 protected:
  /// Begins to make a second lane, for another thread, which ends with the gate.
  std::jthread begin_second_lane() {
    memory->make_next_slow();
    std::jthread maker{[this] {
      test::use_device(0);
      Stream own;
      const Ticket ticket = set.submit(view(), own);
      second = ticket.ring();
      static_cast<void>(set.collect(ticket));
    }};
    memory->begun.wait();
    return maker;
  }
  [[nodiscard]] tailrace::DeviceView view() const { return {source.data(), 16}; }
  void TearDown() override { stream.synchronize(); }

  Stream stream;
  Stream other;
  test::Buffer source{4096};
  std::shared_ptr<SlowMemory> memory = std::make_shared<SlowMemory>();
  RingSet set{tailrace::Device{0}, {.slots_per_ring = 8, .lanes = 8, .pinned_source = memory}};
  std::atomic<std::uint64_t> second{0};
};

TEST_F(RingSetLanes, ASubmitterSharesOneForNowAndMovesToItsOwnWhenItsLastCopyIsOver) {
  const Ticket first = set.submit(view(), stream);
  static_cast<void>(set.collect(first));
  std::jthread maker = begin_second_lane();
  Hold hold{other};
  const Ticket shared = set.submit(view(), other);  // does not wait for the allocation
  EXPECT_EQ(shared.ring(), first.ring());
  memory->go_on.open();
  maker.join();
  const Ticket behind = set.submit(view(), other);
  EXPECT_EQ(behind.ring(), first.ring()) << "out of order with what is in flight";
  hold.release();
  EXPECT_EQ(set.collect(shared).size(), 16U);
  EXPECT_EQ(set.wait_for(behind, test::hang_guard), SlotState::ready);
  const Ticket moved = set.submit(view(), other);
  EXPECT_NE(moved.ring(), first.ring());
  EXPECT_NE(moved.ring(), second.load());
  EXPECT_EQ(set.collect(behind).size(), 16U);
  EXPECT_EQ(set.collect(moved).size(), 16U);
  EXPECT_EQ(set.submit(view(), other).ring(), moved.ring());
  EXPECT_EQ(set.rings(), 3U);
}

TEST_F(RingSetLanes, ACopyThatWasGivenUpIsInFlightAllTheSame) {
  const Ticket first = set.submit(view(), stream);
  static_cast<void>(set.collect(first));
  std::jthread maker = begin_second_lane();
  Hold hold{other};
  const Ticket shared = set.submit(view(), other);
  const Ticket given_up = set.submit(view(), other);
  memory->go_on.open();
  maker.join();
  set.discard(given_up);
  const Ticket behind = set.submit(view(), other);
  EXPECT_EQ(behind.ring(), shared.ring()) << "out of order with what is in flight";
  hold.release();
  EXPECT_EQ(set.collect(shared).size(), 16U);
  EXPECT_EQ(set.collect(behind).size(), 16U);
}

TEST_F(RingSetLanes, EightThreadsThatStartAtOnceEndUpOnEightOfThem) {
  constexpr std::size_t threads = 8;
  std::array<std::atomic<std::uint64_t>, threads> lane_of{};
  const auto on_lanes_of_their_own = [&] {
    std::set<std::uint64_t> lanes;
    for (const auto& lane : lane_of) lanes.insert(lane);
    return !lanes.contains(0) && lanes.size() == threads;
  };
  const Gate start;
  std::vector<std::jthread> users;
  for (std::atomic<std::uint64_t>& lane : lane_of) {
    users.emplace_back([&](const std::stop_token& stop) {
      test::use_device(0);
      start.wait();
      while (!stop.stop_requested()) {
        const Ticket ticket = set.submit(view(), stream);
        lane = ticket.ring();
        static_cast<void>(set.collect(ticket));
      }
    });
  }
  start.open();
  EXPECT_TRUE(test::eventually(on_lanes_of_their_own));
  EXPECT_EQ(set.rings(), threads);
}

}  // namespace
