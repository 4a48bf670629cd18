// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/support/copies.hpp"

#include <tailrace/copy_streams.hpp>
#include <tailrace/tbb.hpp>

#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>
#include <sched.h>

#include <atomic>
#include <cstddef>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tailrace::test {
namespace {

TEST(CopyStreams, ParallelWorkInsideAJobDoesNotRunAnotherJobOnTopOfIt) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer cannot see the synchronisation inside of oneTBB's parallel_for";
#endif
  CopyStreams streams = streams_with(4);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> nested{0};
    for (int job = 0; job < 16; ++job) {
      streams.async_load(tag_number(job), [&nested] {
        static thread_local int depth = 0;
        if (depth++ > 0) ++nested;
        std::atomic<int> sum{0};
        tbb::parallel_for(0, 64, [&sum](int i) { sum += i; });
        --depth;
      });
    }
    for (int job = 15; job >= 0; --job) streams.async_wait(tag_number(job));
    ASSERT_EQ(nested, 0);
  }
}

TEST(CopyStreams, AWaitFinishesInsideTheApplicationsParallelLoopAndInAnotherArena) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer cannot see the synchronisation inside of oneTBB's parallel_for";
#endif
  CopyStreams streams = streams_with(1);
  std::atomic<int> ran{0};
  tbb::parallel_for(0, 64, [&](int i) {
    streams.async_load(tag_number(i), [&ran] { ++ran; });
    streams.async_wait(tag_number(i));
  });
  tbb::task_arena other{1};
  other.execute([&] {
    streams.async_load("tag", [&ran] { ++ran; });
    streams.async_wait("tag");
  });
  EXPECT_EQ(ran, 65);
}

TEST(CopyStreams, AFullQueueBlocksTheSubmitter) {
  CopyStreams streams = streams_with(1, 2);
  const Gate started;
  const Gate release;
  const Gate submitting;
  streams.async_load("running", [&] {
    started.open();
    release.wait();
  });
  started.wait();
  streams.async_load("first", [] {});
  streams.async_load("second", [] {});
  bool released_before = false;
  {
    const std::jthread submitter{[&] {
      submitting.open();
      streams.async_load("third", [] {});
      released_before = release.is_open();
    }};
    submitting.wait();
    EXPECT_EQ(error_of([&] { streams.async_load("first", [] {}); }), Errc::tag_in_flight);
    release.open();
  }
  EXPECT_TRUE(released_before);
  for (const char* tag : {"running", "first", "second", "third"}) streams.async_wait(tag);
}

TEST(CopyStreams, AWaiterThatRunsAQueuedJobMakesRoomForASubmitter) {
  CopyStreams streams = streams_with(1, 1);
  const BusyWorker busy{streams};
  streams.async_load("queued", [] {});
  {
    const std::jthread submitter{[&] { streams.async_load("next", [] {}); }};
    streams.async_wait("queued");
  }
  streams.async_wait("next");
}

TEST(CopyStreams, WithAFullQueueAJobRunsItsOwnSubmissionsInline) {
  CopyStreams streams = streams_with(1, 1);
  bool inline_ran = false;
  bool was_finished = false;
  streams.async_load("job", [&] {
    streams.async_load("queued", [] {});
    const auto here = std::this_thread::get_id();
    streams.async_load("inline", [&inline_ran, here] {
      inline_ran = std::this_thread::get_id() == here;
      throw std::runtime_error{"kept for the waiter"};
    });
    was_finished = streams.finished("inline");
  });
  streams.async_wait("job");
  EXPECT_TRUE(inline_ran);
  EXPECT_TRUE(was_finished);
  EXPECT_THROW(streams.async_wait("inline"), std::runtime_error);
  streams.async_wait("queued");
}

TEST(CopyStreams, AJobRunsThoughTheApplicationHoldsEveryWorker) {
  CopyStreams streams = streams_with(4);
  const HoggedWorkers hogged;
  std::latch ran{8};
  for (int job = 0; job < 8; ++job) streams.async_load(tag_number(job), [&ran] { ran.count_down(); });
  ran.wait();
  for (int job = 0; job < 8; ++job) streams.async_wait(tag_number(job));
}

TEST(CopyStreams, AnArenaEndsThoughTheApplicationHoldsEveryWorker) {
  const HoggedWorkers hogged;
  CopyStreams streams = streams_with(4);
  for (int job = 0; job < 8; ++job) streams.async_load(tag_number(job), [] {});
  for (int job = 0; job < 8; ++job) streams.async_wait(tag_number(job));
}

TEST(CopyStreams, AJobRunsUnderATbbLimitOfOneThread) {
  const tbb::global_control limit{tbb::global_control::max_allowed_parallelism, 1};
  CopyStreams streams = streams_with(4);
  std::latch ran{8};
  for (int job = 0; job < 8; ++job) streams.async_load(tag_number(job), [&ran] { ran.count_down(); });
  ran.wait();
  for (int job = 0; job < 8; ++job) streams.async_wait(tag_number(job));
}

TEST(CopyStreams, WorkOnOneCpuFinishes) {
  std::thread{[] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    CopyStreams streams{{.arena = CopyArena{CopyArenaOptions{}}}};
    std::atomic<int> ran{0};
    for (int job = 0; job < 600; ++job) streams.async_load(tag_number(job), [&ran] { ++ran; });
    for (int job = 0; job < 600; ++job) streams.async_wait(tag_number(job));
    EXPECT_EQ(ran, 600);
  }}.join();
}

TEST(CopyStreams, JobsRunOnAnArenaOfTheApplication) {
  tbb::task_arena arena{2, 0};
  CopyStreams streams{{.arena = copy_arena(arena)}};
  std::latch ran{1};
  int slots = 0;
  streams.async_load("tag", [&] {
    slots = tbb::this_task_arena::max_concurrency();
    ran.count_down();
  });
  ran.wait();
  streams.async_wait("tag");
  EXPECT_EQ(slots, 2);
}

TEST(CopyStreams, AHoggedArenaOfTheApplicationLeavesTheJobToTheWaiter) {
  const HoggedWorkers hogged;
  tbb::task_arena arena{1, 0};
  CopyStreams streams{{.arena = copy_arena(arena)}};
  std::thread::id ran_on;
  streams.async_load("tag", [&ran_on] { ran_on = std::this_thread::get_id(); });
  streams.async_wait("tag");
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(CopyStreams, TheOnlyThreadOfAnArenaCanFillTheQueueAndEndTheStreams) {
  tbb::task_arena arena{1};
  std::atomic<int> ran{0};
  arena.execute([&] {
    CopyStreams streams{{.arena = copy_arena(arena), .queue_limit = 4}};
    for (int job = 0; job < 20; ++job) streams.async_load(tag_number(job), [&ran] { ++ran; });
    for (int job = 0; job < 20; ++job) streams.async_wait(tag_number(job));
  });
  EXPECT_EQ(ran, 20);
}

TEST(CopyStreams, AnArenaThatRunsAtOnceMayBeUsed) {
  CopyStreams streams{{.arena = CopyArena{ForeignArena{.threads = 1, .enqueue = [](auto f) { f(); }}}}};
  bool ran = false;
  streams.async_load("tag", [&ran] { ran = true; });
  EXPECT_TRUE(ran);
  streams.async_wait("tag");
}

TEST(CopyStreams, ManyThreadsStartAndWait) {
  CopyStreams streams = streams_with(4, 16);
  constexpr int threads = 4;
  constexpr int rounds = 1000;
  std::atomic<int> ran{0};
  {
    std::vector<std::jthread> users;
    for (int user = 0; user < threads; ++user) {
      users.emplace_back([&, user] {
        for (int round = 0; round < rounds; ++round) {
          const std::string tag = std::to_string(user) + '/' + std::to_string(round);
          streams.async_load(tag + 'a', [&ran] { ++ran; });
          streams.async_load(tag + 'b', [&ran] { ++ran; });
          streams.async_wait(tag + 'b');
          streams.async_wait(tag + 'a');
        }
      });
    }
  }
  EXPECT_EQ(ran, 2 * threads * rounds);
}

}  // namespace
}  // namespace tailrace::test
