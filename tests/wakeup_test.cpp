// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/wakeup.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

using tailrace::detail::Wakeup;
using Clock = std::chrono::steady_clock;

// A wakeup that is lost costs a sleeper all of this. No test of those that pass gets near it.
constexpr std::chrono::seconds guard{20};

/// Sleeps until the condition holds. False if a wakeup was lost.
template <class Condition>
bool sleep_until(Wakeup& wakeup, Condition condition) {
  for (;;) {
    const std::uint64_t seen = wakeup.epoch();
    if (condition()) return true;
    const Clock::time_point start = Clock::now();
    wakeup.wait_for(seen, guard);
    if (Clock::now() - start >= guard) return false;
  }
}

TEST(Wakeup, DoesNotSleepOnAnEpochThatIsOver) {
  Wakeup wakeup;
  const std::uint64_t seen = wakeup.epoch();
  wakeup.notify();
  const Clock::time_point start = Clock::now();
  wakeup.wait_for(seen, guard);
  EXPECT_LT(Clock::now() - start, guard / 2);
  EXPECT_NE(wakeup.epoch(), seen);
}

TEST(Wakeup, SleepsNoLongerThanItIsTold) {
  Wakeup wakeup;
  const std::uint64_t seen = wakeup.epoch();
  wakeup.wait_for(seen, std::chrono::nanoseconds{0});
  wakeup.wait_for(seen, std::chrono::nanoseconds{-1});
  wakeup.wait_for(seen, std::chrono::microseconds{1});
  EXPECT_EQ(wakeup.epoch(), seen);
}

// Each thread sleeps for the other one in turn: one lost wakeup stops both.
TEST(Wakeup, IsNotLostBetweenTwoThatAlternate) {
  constexpr std::uint64_t rounds = 20'000;
  Wakeup wakeup;
  std::atomic<std::uint64_t> turn{0};
  std::array<bool, 2> in_time{};
  std::vector<std::jthread> players;
  for (std::uint64_t me = 0; me < 2; ++me) {
    players.emplace_back([&, me] {
      bool good = true;
      for (std::uint64_t mine = me; good && mine < rounds; mine += 2) {
        good = sleep_until(wakeup, [&] { return turn.load(std::memory_order_relaxed) >= mine; });
        turn.store(mine + 1, std::memory_order_relaxed);  // the wakeup alone orders it
        wakeup.notify();
      }
      in_time[me] = good;
    });
  }
  players.clear();
  EXPECT_TRUE(in_time[0] && in_time[1]);
}

TEST(Wakeup, ReachesEverySleeperFromEveryNotifier) {
  constexpr std::uint64_t rounds = 2'000;
  constexpr std::size_t sleepers = 4;
  Wakeup work;
  Wakeup answers;
  std::atomic<std::uint64_t> round{0};
  std::atomic<std::uint64_t> answered{0};
  std::atomic<unsigned> lost{0};
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < sleepers; ++i) {
    threads.emplace_back([&] {
      for (std::uint64_t next = 1; next <= rounds; ++next) {
        if (!sleep_until(work, [&] { return round.load() >= next; })) ++lost;
        ++answered;
        answers.notify();
      }
    });
  }
  for (std::uint64_t next = 1; next <= rounds && lost == 0; ++next) {
    round = next;
    work.notify();
    if (!sleep_until(answers, [&] { return answered.load() >= next * sleepers; })) ++lost;
  }
  round = rounds;
  work.notify();
  threads.clear();
  EXPECT_EQ(lost, 0U);
}

}  // namespace
