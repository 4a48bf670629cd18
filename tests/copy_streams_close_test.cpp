// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/support/copies.hpp"

#include <tailrace/copy_streams.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace tailrace::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
