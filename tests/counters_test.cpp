// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/counters.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using namespace tailrace::detail;

constexpr std::uint64_t maximum = std::numeric_limits<std::uint64_t>::max();

/// Counters that start at some value.
struct StartingAt {
  explicit StartingAt(std::uint64_t value) { first_count = value; }
  ~StartingAt() { first_count = 0; }
  StartingAt(const StartingAt&) = delete;
  StartingAt& operator=(const StartingAt&) = delete;
};

class Counters : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  const StartingAt start{GetParam()};
  RingCounters counters;
};

TEST_P(Counters, TellWhatIsThereByWhatCameAndWent) {
  EXPECT_EQ(counters.in_flight(), 0U);
  EXPECT_EQ(counters.outstanding(), 0U);
  for (int i = 0; i < 7; ++i) {
    counters.count(counters.submissions);
    counters.enter_flight();
  }
  counters.count(counters.left_flight, 3);
  counters.count(counters.collected);
  counters.count(counters.errors_collected);
  counters.count(counters.discarded);
  EXPECT_EQ(counters.in_flight(), 4U);
  EXPECT_EQ(counters.outstanding(), 4U);
  EXPECT_EQ(counters.snapshot().peak_in_flight, 7U);
}

TEST_P(Counters, SayThatOnePassedItsMaximum) {
  EXPECT_FALSE(counters.wrapped);
  counters.count(counters.bytes, maximum - GetParam());
  EXPECT_FALSE(counters.wrapped);
  EXPECT_EQ(counters.bytes.get(), maximum);
  counters.count(counters.bytes);
  EXPECT_TRUE(counters.wrapped);
  EXPECT_EQ(counters.bytes.get(), 0U);
}

TEST_P(Counters, OfOneWriterAtATimeLoseNothingWhenAnotherThreadTakesOver) {
  constexpr std::uint64_t rounds = 10'000;
  std::mutex mutex;
  std::vector<std::jthread> writers;
  for (int i = 0; i < 3; ++i) {
    writers.emplace_back([&] {
      for (std::uint64_t round = 0; round < rounds; ++round) {
        const std::lock_guard lock{mutex};
        counters.count(counters.left_flight);
      }
    });
  }
  writers.clear();
  EXPECT_EQ(counters.left_flight.get() - GetParam(), 3 * rounds);
}

// One submits and others complete and collect what it published, always with some left; a reader must never be told
// that fewer were there.
TEST_P(Counters, NeverSayThatLessIsThereThanIs) {
  constexpr std::uint64_t rounds = 20'000;
  constexpr std::uint64_t always_there = 3;
  std::atomic<std::uint64_t> published{0};
  std::atomic<std::uint64_t> least_in_flight{maximum};
  std::atomic<std::uint64_t> least_outstanding{maximum};
  const auto one_more = [&] {
    counters.count(counters.submissions);
    counters.enter_flight();
    published.fetch_add(1, std::memory_order_release);
  };
  for (std::uint64_t i = 0; i < always_there; ++i) one_more();
  std::atomic<bool> stop{false};
  {
    std::jthread reader{[&] {
      // A difference below zero would be a huge number, so that it is less than nothing here.
      const auto keep_least = [](std::atomic<std::uint64_t>& least, std::uint64_t now) {
        if (now > maximum / 2) now = 0;
        if (now < least) least = now;
      };
      do {
        keep_least(least_in_flight, counters.in_flight());
        keep_least(least_outstanding, counters.outstanding());
      } while (!stop);
    }};
    const auto follow = [&](auto act) {
      for (std::uint64_t done = 0; done < rounds;) {
        if (published.load(std::memory_order_acquire) - always_there > done) {
          act(++done);
        } else {
          std::this_thread::yield();
        }
      }
    };
    std::jthread completer{[&] { follow([&](std::uint64_t) { counters.count(counters.left_flight); }); }};
    std::jthread collector{[&] {
      follow([&](std::uint64_t done) {
        counters.count(done % 3 == 0   ? counters.collected
                       : done % 3 == 1 ? counters.discarded
                                       : counters.errors_collected);
      });
    }};
    for (std::uint64_t i = 0; i < rounds; ++i) one_more();
    completer.join();
    collector.join();
    stop = true;
  }
  EXPECT_GE(least_in_flight, always_there);
  EXPECT_GE(least_outstanding, always_there);
  EXPECT_EQ(counters.in_flight(), always_there);
  EXPECT_EQ(counters.outstanding(), always_there);
}

INSTANTIATE_TEST_SUITE_P(FromZero, Counters, ::testing::Values(0));
INSTANTIATE_TEST_SUITE_P(OverTheirMaximum, Counters, ::testing::Values(maximum - 5));

}  // namespace
