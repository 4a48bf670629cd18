// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Many submissions, the producer faster than the consumer: no torn payload and none of another submission.

#include "tests/support/ring.hpp"

#include <atomic>
#include <cstdio>
#include <deque>

namespace {

using namespace test;

/// Payloads are stamped: each of their words is the number of the submission.
class RingStress : public RingTest {
 protected:
  static constexpr std::size_t payload_words = 32;
  static constexpr std::uint64_t submissions = 100'000;

  /// Stamps and submits; each producer has a part of the buffer to itself, and in it a place for each slot.
  struct Producer {
    RingStress& test;
    Stream stream{};
    std::size_t base;
    std::size_t places;
    std::uint64_t count = 0;

    std::optional<Ticket> try_submit(ReadbackRing& ring, std::uint64_t number) {
      const std::size_t offset = base + count % places * payload_words * word;
      stamp(test.buffer, offset, payload_words, number, stream);
      const auto ticket = ring.try_submit({test.buffer.data(), offset, payload_words * word}, stream);
      if (ticket) {
        ++count;
        ring.guard_source(*ticket, stream);
      }
      return ticket;
    }
  };

  static void check(ReadbackRing& ring, const Ticket& ticket, std::uint64_t number, std::atomic<std::uint64_t>& bad) {
    ring.visit<std::uint64_t>(ticket, [&](std::span<const std::uint64_t> words) {
      for (const std::uint64_t value : words) {
        if (value != number) ++bad;
      }
    });
  }
};

TEST_F(RingStress, AHundredThousandSubmissionsArriveWholeAlsoWhileAVisitorRuns) {
  ReadbackRing ring = make(16, payload_words * word);
  Producer producer{.test = *this, .base = 0, .places = 16};
  std::atomic<std::uint64_t> bad{0};
  std::deque<std::pair<Ticket, std::uint64_t>> outstanding;
  std::uint64_t full = 0;
  const auto check_oldest = [&] {
    check(ring, outstanding.front().first, outstanding.front().second, bad);
    outstanding.pop_front();
  };
  std::uint64_t number = 1;
  const auto submit_next = [&] {
    const auto ticket = number <= submissions ? producer.try_submit(ring, number) : std::nullopt;
    if (ticket) outstanding.emplace_back(*ticket, number++);
    return ticket.has_value();
  };
  while (number <= submissions) {
    if (submit_next()) continue;
    ++full;
    // One is looked at while those before it are collected and their slots used again.
    const Ticket ticket = outstanding[4].first;
    const std::uint64_t expected = outstanding[4].second;
    outstanding.erase(outstanding.begin() + 4);
    ring.visit<std::uint64_t>(ticket, [&](std::span<const std::uint64_t> words) {
      for (int i = 0; i < 4; ++i) check_oldest();
      while (submit_next()) {
      }
      for (const std::uint64_t value : words) bad += value != expected ? 1U : 0U;
    });
  }
  while (!outstanding.empty()) check_oldest();
  const auto statistics = ring.statistics();
  std::printf("%llu submissions, full %llu times, %llu stalls, peak in flight %llu\n",
              static_cast<unsigned long long>(statistics.submissions), static_cast<unsigned long long>(full),
              static_cast<unsigned long long>(statistics.stalls),
              static_cast<unsigned long long>(statistics.peak_in_flight));
  EXPECT_EQ(bad, 0U);
  EXPECT_EQ(statistics.submissions, submissions);
  EXPECT_EQ(statistics.collected, submissions);
  EXPECT_GT(full, 0U);
  EXPECT_LE(statistics.peak_in_flight, 16U);
}

TEST_F(RingStress, ManyThreadsShareARing) {
  constexpr std::size_t threads = 4;
  constexpr std::uint64_t each = 2'000;
  ReadbackRing ring = make(8, payload_words * word);
  std::atomic<std::uint64_t> bad{0};
  std::atomic<bool> done{false};
  std::jthread poller{[&] {
    while (!done) ring.poll();
  }};
  std::vector<std::jthread> producers;
  for (std::size_t t = 0; t < threads; ++t) {
    producers.emplace_back([&, t] {
      use_device(0);
      Producer producer{.test = *this, .base = t * 8 * payload_words * word, .places = 8};
      for (std::uint64_t i = 0; i < each;) {
        const std::uint64_t number = t << 32 | i;
        const auto ticket = producer.try_submit(ring, number);
        if (!ticket) {
          std::this_thread::yield();
          continue;
        }
        ++i;
        if (i % 7 == 0) {
          ring.wait(*ticket);
          ring.discard(*ticket);
        } else {
          check(ring, *ticket, number, bad);
        }
      }
    });
  }
  producers.clear();
  done = true;
  poller.join();
  const auto statistics = ring.statistics();
  EXPECT_EQ(bad, 0U);
  EXPECT_EQ(statistics.submissions, threads * each);
  EXPECT_EQ(statistics.collected + statistics.discarded, threads * each);
  EXPECT_EQ(statistics.outstanding, 0U);
  EXPECT_LE(statistics.peak_in_flight, 8U);
}

TEST_F(RingStress, ARingPerThreadNeedsNoOther) {
  std::atomic<std::uint64_t> bad{0};
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      use_device(0);
      ReadbackRing ring = make(4, payload_words * word);
      Producer producer{.test = *this, .base = t * 4 * payload_words * word, .places = 4};
      for (std::uint64_t i = 0; i < 1'000; ++i) {
        const auto ticket = producer.try_submit(ring, i);
        ASSERT_TRUE(ticket);
        check(ring, *ticket, i, bad);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(bad, 0U);
}

}  // namespace
