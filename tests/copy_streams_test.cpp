// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/support/copies.hpp"

#include <tailrace/copy_streams.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace tailrace::test {
namespace {

TEST(CopyStreams, AWaitSeesWhatTheJobDid) {
  CopyStreams streams;
  int result = 0;
  streams.async_load("answer", [&result] { result = 42; });
  streams.async_wait("answer");
  EXPECT_EQ(result, 42);
}

TEST(CopyStreams, WhatAJobThrowsArrivesOnceAtItsWait) {
  CopyStreams streams;
  streams.async_load("bad", [] { throw std::runtime_error{"disk full"}; });
  streams.async_load("good", [] {});
  EXPECT_THROW(streams.async_wait("bad"), std::runtime_error);
  EXPECT_EQ(error_of([&] { streams.async_wait("bad"); }), Errc::unknown_tag);
  EXPECT_NO_THROW(streams.async_wait("good"));
}

TEST(CopyStreams, ATagInFlightIsRefusedUntilItWasWaitedFor) {
  CopyStreams streams;
  streams.async_load("tag", [] {});
  EXPECT_EQ(error_of([&] { streams.async_load("tag", [] {}); }), Errc::tag_in_flight);
  streams.async_wait("tag");
  streams.async_load("tag", [] {});
  streams.async_wait("tag");
}

TEST(CopyStreams, AnUnknownTagIsRefused) {
  CopyStreams streams;
  EXPECT_EQ(error_of([&] { streams.async_wait("never started"); }), Errc::unknown_tag);
  EXPECT_EQ(error_of([&] { static_cast<void>(streams.finished("never started")); }), Errc::unknown_tag);
}

TEST(CopyStreams, OneOfTwoWaitersWinsAndTheOtherGetsUnknownTag) {
  CopyStreams streams = streams_with(2);
  const Gate release;
  streams.async_load("tag", [release] { release.wait(); });
  std::atomic<int> won{0};
  std::atomic<int> lost{0};
  {
    const auto wait = [&] {
      const auto error = error_of([&] { streams.async_wait("tag"); });
      ++(error == Errc::unknown_tag ? lost : won);
      release.open();
    };
    // The loser opens the gate; if the winner runs the job, it waits for the loser.
    const std::jthread first{wait};
    const std::jthread second{wait};
  }
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 1);
}

TEST(CopyStreams, CapturesAreDestroyedExactlyOnceBeforeTheWaitReturns) {
  CopyStreams streams = streams_with(2);
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> destroyed{0};
    const bool throws = round % 2 == 0;
    streams.async_load("move only", [capture = Capture{destroyed}, throws] {
      if (throws) throw 1;
    });
    try {
      streams.async_wait("move only");
    } catch (int) {
    }
    ASSERT_EQ(destroyed, 1);
  }
}

TEST(CopyStreams, ATagIsNotFinishedWhileCapturesAreBeingDestroyed) {
  CopyStreams streams = streams_with(1);
  const Gate destroyed;
  bool finished = true;
  const auto look = [&](const int*) {
    finished = streams.finished("tag");
    destroyed.open();
  };
  const int nothing = 0;
  streams.async_load("tag", [capture = std::unique_ptr<const int, decltype(look)>{&nothing, look}] {});
  destroyed.wait();
  EXPECT_FALSE(finished);
  streams.async_wait("tag");
}

TEST(CopyStreams, AJobThatNoWorkerTookIsRunByItsWaiter) {
  CopyStreams streams = streams_with(1);
  const BusyWorker busy{streams};
  std::thread::id ran_on;
  streams.async_load("queued", [&ran_on] { ran_on = std::this_thread::get_id(); });
  EXPECT_FALSE(streams.finished("queued"));
  streams.async_wait("queued");
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(CopyStreams, AWaiterRunsNoJobButItsOwn) {
  CopyStreams streams = streams_with(1);
  const BusyWorker busy{streams};
  bool other_ran = false;
  streams.async_load("other", [&other_ran] { other_ran = true; });
  streams.async_load("mine", [] {});
  streams.async_wait("mine");
  EXPECT_FALSE(other_ran);
  streams.async_wait("other");
}

TEST(CopyStreams, AJobThatWaitsForItsOwnTagIsRefused) {
  CopyStreams streams = streams_with(1);
  streams.async_load("self", [&] { streams.async_wait("self"); });
  EXPECT_EQ(error_of([&] { streams.async_wait("self"); }), Errc::own_tag);
}

TEST(CopyStreams, JobsThatWaitForEachOtherAreRefused) {
  CopyStreams streams = streams_with(2);
  for (int round = 0; round < 50; ++round) {
    // Wherever the inner job runs and whichever of the two is first to wait; that one takes the other's tag.
    std::optional<Errc> refused;
    const Gate over;
    streams.async_load("outer", [&, over] {
      streams.async_load("inner", [&] { streams.async_wait("outer"); });
      refused = error_of([&] { streams.async_wait("inner"); });
      over.open();
    });
    over.wait();
    ASSERT_EQ(refused, Errc::own_tag);
    const auto outer = error_of([&] { streams.async_wait("outer"); });
    const auto inner = error_of([&] { streams.async_wait("inner"); });
    ASSERT_TRUE((outer == Errc::unknown_tag) != (inner == Errc::unknown_tag));
  }
}

TEST(CopyStreams, ItsOwnTagIsRefusedBeforeAnybodyElseWaits) {
  CopyStreams streams;
  std::optional<Errc> refused;
  const Gate over;
  streams.async_load("self", [&, over] {
    refused = error_of([&] { streams.async_wait("self"); });
    over.open();
  });
  over.wait();
  EXPECT_EQ(refused, Errc::own_tag);
  streams.async_wait("self");
}

TEST(CopyStreams, NestedWaitsFinishWithOneWorker) {
  CopyStreams streams = streams_with(1);
  std::atomic<int> ran{0};
  std::function<void(int)> nest = [&](int depth) {
    ++ran;
    if (depth == 0) return;
    streams.async_load(tag_number(depth), [&nest, depth] { nest(depth - 1); });
    streams.async_wait(tag_number(depth));
  };
  streams.async_load("top", [&nest] { nest(6); });
  streams.async_wait("top");
  EXPECT_EQ(ran, 7);
}

TEST(CopyStreams, ATagMayBeLoadedByAThreadThatIsGone) {
  CopyStreams streams;
  int result = 0;
  std::thread{[&] { streams.async_load("tag", [&result] { result = 1; }); }}.join();
  streams.async_wait("tag");
  EXPECT_EQ(result, 1);
}

std::size_t resident_pages() {
  std::ifstream statm{"/proc/self/statm"};
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident;
}

TEST(CopyStreams, DistinctTagsLeaveNoMemoryBehind) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's own memory grows";
#endif
  CopyStreams streams = streams_with(1);
  const BusyWorker busy{streams};  // each job is claimed by its waiter, out of the queue
  const auto use = [&streams](int from, int to) {
    for (int i = from; i < to; ++i) {
      streams.async_load(tag_number(i), [] {});
      streams.async_wait(tag_number(i));
    }
  };
  use(0, 1000);
  const std::size_t before = resident_pages();
  use(1000, 1'000'000);
  EXPECT_LT(resident_pages(), before + 256);
}

}  // namespace
}  // namespace tailrace::test
