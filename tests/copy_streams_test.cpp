// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/support/copies.hpp"

#include <tailrace/copy_streams.hpp>
#include <tailrace/tbb.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tailrace::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Counts its destructions; moved-from objects do not count.
class Capture {
 public:
  explicit Capture(std::atomic<int>& destroyed) : destroyed_{&destroyed, [](std::atomic<int>* count) { ++*count; }} {}

 private:
  std::unique_ptr<std::atomic<int>, void (*)(std::atomic<int>*)> destroyed_;
};

std::string tag_number(int number) { return "tag " + std::to_string(number); }

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

TEST(CopyStreams, ATagMayBeLoadedByAThreadThatIsGone) {
  CopyStreams streams;
  int result = 0;
  std::thread{[&] { streams.async_load("tag", [&result] { result = 1; }); }}.join();
  streams.async_wait("tag");
  EXPECT_EQ(result, 1);
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

TEST(CopyStreams, CloseDropsWhatIsQueuedAndJoinsWhatRuns) {
  CopyStreams streams = streams_with(1);
  const Gate started;
  const Gate release;
  std::atomic<int> destroyed{0};
  bool running_ended = false;
  streams.async_load("running", [&] {
    started.open();
    release.wait();
    running_ended = true;
  });
  started.wait();
  streams.async_load("queued", [capture = Capture{destroyed}] { ADD_FAILURE() << "dropped jobs do not run"; });
  CopyStreamsReport report;
  {
    const std::jthread closer{[&] { report = streams.close(); }};
    // Ends when the job was dropped, which is before the running one is joined.
    while (!streams.finished("queued")) std::this_thread::yield();
    EXPECT_EQ(destroyed, 1);
    release.open();
  }
  EXPECT_TRUE(running_ended);
  EXPECT_EQ(report.joined, 1U);
  EXPECT_EQ(report.dropped, 1U);
  EXPECT_EQ(error_of([&] { streams.async_wait("queued"); }), Errc::job_dropped);
  EXPECT_NO_THROW(streams.async_wait("running"));
  EXPECT_EQ(error_of([&] { streams.async_load("late", [] {}); }), Errc::closed);
  const CopyStreamsReport again = streams.close();
  EXPECT_EQ(again.joined + again.dropped, 0U);
}

TEST(CopyStreams, CloseWakesBlockedSubmitters) {
  CopyStreams streams = streams_with(1, 1);
  const Gate started;
  const Gate release;
  streams.async_load("running", [&] {
    started.open();
    release.wait();
  });
  started.wait();
  streams.async_load("queued", [] {});
  std::optional<Errc> woken;
  {
    std::jthread closer;
    {
      const std::jthread submitter{[&] { woken = error_of([&] { streams.async_load("blocked", [] {}); }); }};
      closer = std::jthread{[&] { streams.close(); }};
    }
    release.open();
  }
  EXPECT_EQ(woken, Errc::closed);
}

TEST(CopyStreams, DestructionReportsWhatItDropped) {
  const Log log;
  {
    CopyStreams streams = streams_with(1, 256, log.handler());
    const Gate started;
    const Gate dropped;
    streams.async_load("running", [started, dropped] {
      started.open();
      dropped.wait();
    });
    started.wait();
    // Its destruction is the sign that the queue was dropped.
    const std::shared_ptr<void> sign{nullptr, [dropped](void*) { dropped.open(); }};
    streams.async_load("queued", [sign] {});
  }
  EXPECT_THAT(log.warnings(), ElementsAre(AllOf(HasSubstr("joined 1"), HasSubstr("dropped 1"))));
}

TEST(CopyStreams, AnExceptionThatNobodyWaitedForIsLoggedOnceWithItsTag) {
  const Log log;
  {
    CopyStreams streams = streams_with(1, 256, log.handler());
    streams.async_load("forgotten", [] { throw std::runtime_error{"disk full"}; });
    streams.async_load("after it", [] {});
    while (!streams.finished("forgotten")) std::this_thread::yield();
    streams.async_wait("after it");
  }
  EXPECT_THAT(log.warnings(), ElementsAre(AllOf(HasSubstr("\"forgotten\""), HasSubstr("disk full"))));
}

TEST(CopyStreams, OverlapRunsBothHalvesAndJoins) {
  CopyStreams streams;
  bool copied = false;
  bool computed = false;
  streams.overlap_copy_compute("tag", [&] { copied = true; }, [&] { computed = true; });
  EXPECT_TRUE(copied);
  EXPECT_TRUE(computed);
  EXPECT_EQ(error_of([&] { streams.async_wait("tag"); }), Errc::unknown_tag);
}

TEST(CopyStreams, OverlapThrowsWhatEitherHalfThrows) {
  CopyStreams streams;
  EXPECT_THROW(
      streams.overlap_copy_compute("tag", [] { throw std::runtime_error{"copy"}; }, [] {}), std::runtime_error);
  bool copied = false;
  EXPECT_THROW(streams.overlap_copy_compute(
                   "tag", [&] { copied = true; }, [] { throw std::logic_error{"compute"}; }),
               std::logic_error);
  EXPECT_TRUE(copied);
}

TEST(CopyStreams, IfBothHalvesThrowComputesPassesAndTheCopysIsLogged) {
  const Log log;
  CopyStreams streams = streams_with(1, 256, log.handler());
  EXPECT_THROW(streams.overlap_copy_compute(
                   "tag", [] { throw std::runtime_error{"bad copy"}; }, [] { throw std::logic_error{"compute"}; }),
               std::logic_error);
  EXPECT_THAT(log.warnings(), ElementsAre(AllOf(HasSubstr("\"tag\""), HasSubstr("bad copy"))));
}

TEST(CopyStreams, AJobMayEndItsOwnStreamsAndTheirArena) {
  const Gate over;
  std::atomic<int> destroyed{0};
  {
    auto streams = std::make_shared<CopyStreams>(streams_with(2));
    CopyStreams& borrowed = *streams;
    // The job holds the last share of the streams, which hold the last handle of the arena.
    const Gate alone;
    borrowed.async_load("last", [streams, alone, over, capture = Capture{destroyed}]() mutable {
      alone.wait();
      streams.reset();
      over.open();
    });
    streams.reset();
    alone.open();
  }
  over.wait();
  while (destroyed == 0) std::this_thread::yield();
}

TEST(CopyStreams, TwoJobsMayCloseTheirStreamsAtOnce) {
  CopyStreams streams = streams_with(2);
  std::latch both{2};
  const auto close = [&] {
    both.arrive_and_wait();
    streams.close();
  };
  streams.async_load("a", close);
  streams.async_load("b", close);
  std::jthread first{[&] { streams.async_wait("a"); }};
  streams.async_wait("b");
}

TEST(CopyStreams, MovedStreamsKeepTheirTags) {
  CopyStreams streams;
  int result = 0;
  streams.async_load("tag", [&result] { result = 1; });
  CopyStreams moved = std::move(streams);
  EXPECT_EQ(error_of([&] { streams.async_wait("tag"); }), Errc::closed);  // NOLINT(bugprone-use-after-move)
  moved.async_wait("tag");
  EXPECT_EQ(result, 1);
  streams = std::move(moved);
  streams.async_load("tag", [&result] { result = 2; });
  streams.async_wait("tag");
  EXPECT_EQ(result, 2);
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

TEST(CopyStreams, AForkedChildIsRefusedAndMayExit) {
  auto streams = std::make_unique<CopyStreams>(streams_with(1));
  streams->async_load("tag", [] {});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool refused = error_of([&] { streams->async_load("other", [] {}); }) == Errc::forked &&
                         error_of([&] { streams->async_wait("tag"); }) == Errc::forked;
    streams.reset();
    _exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  streams->async_wait("tag");
}

}  // namespace
}  // namespace tailrace::test
