// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// Large reads that meet the end of their runtime.

#include <tailrace/error.hpp>
#include <tailrace/runtime.hpp>

#include "tests/support/readbacks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tailrace::Device;
using tailrace::Errc;
using tailrace::Runtime;
using tailrace::RuntimeOptions;
using test::error_of;

constexpr std::size_t bytes = 10 * 4096;

class ArrayReaderCloseTest : public testing::Test {
 protected:
  const Device device{0};
  test::Stream stream;
  test::Stream other;
  test::Buffer source = test::on_device(test::pattern(bytes));
  std::vector<std::byte> got = std::vector<std::byte>(bytes);
  test::Log log;

  /// One that has read before, so that nothing is made any more.
  std::unique_ptr<Runtime> warm_runtime() {
    auto runtime =
        std::make_unique<Runtime>(device, RuntimeOptions{.chunk_bytes = 4096, .chunk_slots = 3, .log = log.handler()});
    for (const bool snapshot : {false, true}) {
      std::vector<std::byte> elsewhere(bytes);
      runtime->async_read("first", got, test::view(source), stream, {.snapshot = snapshot});
      runtime->async_read("second", elsewhere, test::view(source), other, {.snapshot = snapshot});
      runtime->async_wait("first");
      runtime->async_wait("second");
    }
    return runtime;
  }
};

TEST_F(ArrayReaderCloseTest, LetsReadsFinishWithinTheBound) {
  const auto runtime = warm_runtime();
  std::vector<std::byte> late(bytes);
  {
    const test::Hold hold{stream};
    runtime->async_read("late", late, test::view(source), stream);
  }
  EXPECT_TRUE(runtime->close(60s).drained);
  runtime->async_wait("late");
  EXPECT_EQ(late, test::pattern(bytes));
  EXPECT_EQ(error_of([&] { runtime->read(got, test::view(source), stream); }), Errc::closed);
  EXPECT_EQ(error_of([&] { runtime->async_read("more", got, test::view(source), stream); }), Errc::closed);
}

TEST_F(ArrayReaderCloseTest, WakesBlockedReadersWaitersAndGuardsAtTheDeadline) {
  const auto runtime = warm_runtime();
  test::Hold hold{stream};
  std::vector<std::byte> stalled(bytes);
  runtime->async_read("stalled", stalled, test::view(source), stream);
  std::array<std::optional<Errc>, 2> seen;
  std::thread waiter{[&] { seen[0] = error_of([&] { runtime->async_wait("stalled"); }); }};
  std::thread reader{[&] { seen[1] = error_of([&] { runtime->read(got, test::view(source), stream); }); }};
  // The third chunk can never be enqueued, so that the guard waits too.
  std::thread guard{[&] { static_cast<void>(error_of([&] { runtime->guard_source("stalled", other); })); }};
  static_cast<void>(runtime->close(50ms));
  waiter.join();
  reader.join();
  guard.join();
  EXPECT_EQ(seen[0], Errc::closed);
  EXPECT_EQ(seen[1], Errc::closed);
  hold.release();
}

TEST_F(ArrayReaderCloseTest, EndsAReadThatStillWaitsForItsTurn) {
  const auto runtime = warm_runtime();
  std::array<std::vector<std::byte>, 4> room;
  test::Hold hold{stream};
  for (std::size_t i = 0; i < room.size(); ++i) {
    room[i].resize(bytes);
    runtime->async_read(std::to_string(i), room[i], test::view(source), stream);
  }
  static_cast<void>(runtime->close(0s));
  for (std::size_t i = 0; i < room.size(); ++i) {
    EXPECT_EQ(error_of([&] { runtime->async_wait(std::to_string(i)); }), Errc::closed) << i;
  }
  hold.release();
}

TEST_F(ArrayReaderCloseTest, MayBeClosedFromManyThreadsWhileOthersRead) {
  for (int round = 0; round < 20; ++round) {
    const auto runtime = warm_runtime();
    std::atomic<int> wrong{0};
    std::vector<std::thread> users;
    for (int user = 0; user < 2; ++user) {
      users.emplace_back([&, tag = std::to_string(user)] {
        std::vector<std::byte> mine(bytes);
        for (;;) {
          const auto failure = error_of([&] {
            runtime->async_read(tag, mine, test::view(source), stream);
            runtime->async_wait(tag);
            runtime->read(mine, test::view(source), other);
          });
          if (failure) {
            wrong += failure == Errc::closed ? 0 : 1;
            return;
          }
          wrong += mine == test::pattern(bytes) ? 0 : 1;
        }
      });
    }
    for (int closer = 0; closer < 2; ++closer) {
      users.emplace_back([&] { static_cast<void>(runtime->close(10s)); });
    }
    for (std::thread& user : users) user.join();
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(ArrayReaderCloseTest, MayBeDestroyedWithoutEverBeingWaitedFor) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::byte> mine(bytes);
    {
      const auto runtime = warm_runtime();
      runtime->async_read("array", mine, test::view(source), stream);
    }
    ASSERT_EQ(mine, test::pattern(bytes));  // the destructor let it finish
  }
  EXPECT_TRUE(log.warnings().empty());
}

TEST_F(ArrayReaderCloseTest, WaitsForADirectReadOnlyAsLongAsItsBound) {
  // Never freed: nothing here tells when the copy is over.
  static void* const pinned = test::pinned_allocate(bytes);
  const std::span destination{static_cast<std::byte*>(pinned), bytes};
  const auto runtime = warm_runtime();
  test::Hold hold{stream};
  runtime->async_read("stalled", destination, test::view(source), stream);
  const tailrace::CloseReport report = runtime->close(1ms);
  EXPECT_FALSE(report.drained);
  EXPECT_EQ(report.in_flight, 1U);
  EXPECT_EQ(error_of([&] { runtime->async_wait("stalled"); }), Errc::closed);
}

TEST_F(ArrayReaderCloseTest, ReportsChunksThatAreStillInFlight) {
  const auto runtime = warm_runtime();
  test::Hold hold{stream};
  std::vector<std::byte> stalled(bytes);
  runtime->async_read("stalled", stalled, test::view(source), stream);
  while (runtime->statistics().chunks.outstanding != 3) std::this_thread::yield();
  const tailrace::CloseReport report = runtime->close(0s);
  EXPECT_FALSE(report.drained);
  EXPECT_EQ(report.in_flight, 3U);
  EXPECT_EQ(error_of([&] { runtime->async_wait("stalled"); }), Errc::closed);
  hold.release();
  const tailrace::CloseReport later = runtime->close(60s);
  EXPECT_TRUE(later.drained);
  EXPECT_EQ(later.in_flight, 0U);
}

}  // namespace
