// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

#include <tailrace/error.hpp>
#include <tailrace/runtime.hpp>

#include "tests/support/readbacks.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tailrace::Device;
using tailrace::DeviceView;
using tailrace::Errc;
using tailrace::Runtime;
using tailrace::RuntimeOptions;
using tailrace::RuntimeStatistics;
using tailrace::SlotState;
using tailrace::Ticket;
using test::error_of;

static_assert(!std::is_copy_constructible_v<Runtime> && std::is_nothrow_move_constructible_v<Runtime>);

class RuntimeTest : public testing::Test {
 protected:
  static constexpr std::size_t bytes = 10 * 4096;

  const Device device{0};
  test::Stream stream;
  test::Buffer source = test::on_device(test::pattern(bytes));
  test::Log log;
  std::vector<std::byte> got = std::vector<std::byte>(bytes);

  [[nodiscard]] RuntimeOptions options() const {
    return {.rings = {.slots_per_ring = 8}, .chunk_bytes = 4096, .chunk_slots = 3, .log = log.handler()};
  }
  [[nodiscard]] DeviceView small() const { return {source.data(), 16}; }
};

TEST_F(RuntimeTest, ReadsSmallResultsEveryStep) {
  Runtime runtime{device, options()};
  test::Buffer residual{8};
  for (std::uint64_t step = 1; step <= 200; ++step) {
    test::stamp(residual, 0, 1, step, stream);
    const Ticket ticket = runtime.submit(test::view(residual), stream);
    runtime.guard_source(ticket, stream);
    EXPECT_EQ(runtime.visit<std::uint64_t>(ticket, [](std::span<const std::uint64_t> value) { return value[0]; }),
              step);
  }
}

TEST_F(RuntimeTest, HasEveryCallForSmallResults) {
  Runtime runtime{device, options()};
  EXPECT_EQ(runtime.device(), device);
  const Ticket recorded = runtime.record(small(), stream);
  runtime.arm({&recorded, 1}, stream);
  const std::array tickets{recorded, *runtime.try_submit(small(), stream), runtime.submit_for(small(), stream, 10s)};
  EXPECT_EQ(runtime.wait_all(tickets), 0U);
  EXPECT_EQ(runtime.poll(), 0U);
  EXPECT_EQ(runtime.wait(tickets[0]), SlotState::ready);
  EXPECT_EQ(runtime.wait_for(tickets[1], 10s), SlotState::ready);
  EXPECT_EQ(runtime.state(tickets[2]), SlotState::ready);
  EXPECT_TRUE(runtime.try_visit(tickets[0], [](std::span<const std::byte>) {}));
  EXPECT_EQ(runtime.try_collect(tickets[1], std::span{got}), 16U);
  runtime.discard(tickets[2]);
  EXPECT_EQ(error_of([&] { runtime.discard(tickets[2]); }), Errc::stale_ticket);
}

TEST_F(RuntimeTest, HasOneNameSpaceOfTagsForLoadsAndReads) {
  Runtime runtime{device, options()};
  runtime.async_read("tag", got, test::view(source), stream);
  EXPECT_EQ(error_of([&] { runtime.async_load("tag", [] {}); }), Errc::tag_in_flight);
  EXPECT_EQ(error_of([&] { runtime.async_read("tag", got, test::view(source), stream); }), Errc::tag_in_flight);
  runtime.async_wait("tag");
  EXPECT_EQ(got, test::pattern(bytes));
  runtime.async_load("tag", [] {});
  EXPECT_EQ(error_of([&] { runtime.async_read("tag", got, test::view(source), stream); }), Errc::tag_in_flight);
  runtime.async_wait("tag");
  EXPECT_EQ(error_of([&] { runtime.async_wait("tag"); }), Errc::unknown_tag);
}

TEST_F(RuntimeTest, RunsHostWorkBesideReads) {
  Runtime runtime{device, options()};
  std::atomic<int> ran{0};
  runtime.async_read("array", got, test::view(source), stream);
  runtime.overlap_copy_compute("stage", [&] { ++ran; }, [&] { ++ran; });
  runtime.async_load("throws", [] { throw std::runtime_error{"as it should"}; });
  EXPECT_THROW(runtime.async_wait("throws"), std::runtime_error);
  // It should not, but a job that waits for the device comes to its end too.
  runtime.async_load("reads", [&] {
    std::vector<std::byte> mine(bytes);
    runtime.async_wait("array");
    runtime.read(mine, test::view(source), stream);
    ran += mine == test::pattern(bytes) ? 1 : 0;
  });
  runtime.async_wait("reads");
  EXPECT_EQ(ran, 3);
}

TEST_F(RuntimeTest, FinishesOnOneCpuThoughTheThreadThatLoadedIsGone) {
  std::optional<Runtime> runtime;
  const auto on_one_cpu = [](auto work) {
    std::thread{[&] {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
      ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
      work();
    }}.join();
  };
  int ran = 0;
  std::vector<std::byte> more(bytes);
  on_one_cpu([&] {
    RuntimeOptions one_worker = options();
    one_worker.copy_streams.arena = tailrace::CopyArena{tailrace::CopyArenaOptions{}};  // as many as there are CPUs
    EXPECT_EQ(one_worker.copy_streams.arena->concurrency(), 1U);
    runtime.emplace(device, one_worker);
    for (int round = 0; round < 50; ++round) runtime->read(got, test::view(source), stream);
    runtime->async_load("job", [&] { ++ran; });
    runtime->async_read("array", more, test::view(source), stream);
  });
  on_one_cpu([&] {
    runtime->async_wait("array");
    runtime->async_wait("job");
    EXPECT_EQ(runtime->collect(runtime->submit(small(), stream)), test::pattern(16));
  });
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(got, test::pattern(bytes));
  EXPECT_EQ(more, test::pattern(bytes));
}

TEST_F(RuntimeTest, CountsWhatItDoes) {
  Runtime runtime{device, options()};
  static_cast<void>(runtime.collect(runtime.submit(small(), stream)));
  runtime.read(got, test::view(source), stream);
  runtime.async_read("array", got, test::view(source), stream, {.snapshot = true});
  runtime.async_wait("array");
  const RuntimeStatistics counted = runtime.statistics();
  EXPECT_EQ(counted.rings.submissions, 1U);
  EXPECT_EQ(counted.rings.collected, 1U);
  EXPECT_EQ(counted.reads, 2U);
  EXPECT_EQ(counted.read_errors, 0U);
  EXPECT_EQ(counted.read_bytes, 2 * bytes);
  EXPECT_EQ(counted.direct_reads, 0U);
  EXPECT_EQ(counted.snapshots, 1U);
  EXPECT_EQ(counted.snapshot_bytes, bytes);
  EXPECT_EQ(counted.chunks.submissions, 20U);
  EXPECT_EQ(counted.chunks.collected, 20U);
  EXPECT_EQ(counted.chunks.outstanding, 0U);
  EXPECT_GT(counted.chunks.calls[tailrace::DriverCall::device_copy], 0U);
}

TEST_F(RuntimeTest, GoesOnUnderANewNameWhenItIsMoved) {
  Runtime runtime{device, options()};
  const Ticket ticket = runtime.submit(small(), stream);
  runtime.async_read("array", got, test::view(source), stream);
  Runtime moved{std::move(runtime)};
  EXPECT_EQ(error_of([&] { runtime.read(got, test::view(source), stream); }),  // NOLINT(bugprone-use-after-move)
            Errc::closed);
  EXPECT_EQ(error_of([&] { static_cast<void>(runtime.rings()); }), Errc::closed);
  moved.async_wait("array");
  EXPECT_EQ(got, test::pattern(bytes));
  EXPECT_EQ(moved.collect(ticket).size(), 16U);
  Runtime assigned{device, options()};
  assigned.async_read("array", got, test::view(source), stream);  // let finish by the assignment
  assigned = std::move(moved);
  EXPECT_EQ(error_of([&] { assigned.async_wait("array"); }), Errc::unknown_tag);
  assigned.read(got, test::view(source), stream);
  Runtime& same = assigned;
  assigned = std::move(same);
  EXPECT_EQ(assigned.statistics().rings.collected, 1U);
}

TEST_F(RuntimeTest, ReportsWhatWasNotCollectedWhenItIsClosed) {
  Runtime runtime{device, options()};
  const Ticket ticket = runtime.submit(small(), stream);
  runtime.wait(ticket);
  const tailrace::CloseReport report = runtime.close(10s);
  EXPECT_TRUE(report.drained);
  EXPECT_EQ(report.uncollected, 1U);
  EXPECT_EQ(error_of([&] { return runtime.submit(small(), stream); }), Errc::closed);
  EXPECT_EQ(error_of([&] { runtime.async_load("tag", [] {}); }), Errc::closed);
  EXPECT_EQ(error_of([&] { runtime.read(got, test::view(source), stream); }), Errc::closed);
  EXPECT_EQ(runtime.collect(ticket).size(), 16U);
  EXPECT_TRUE(runtime.close(10s).drained);
}

TEST_F(RuntimeTest, LogsOnceWhatWasNeverCollected) {
  {
    Runtime runtime{device, options()};
    runtime.wait(runtime.submit(small(), stream));
    runtime.wait(runtime.submit(small(), stream));
  }
  ASSERT_EQ(log.warnings().size(), 1U);
  EXPECT_NE(log.warnings()[0].find("2 results"), std::string::npos) << log.warnings()[0];
}

TEST_F(RuntimeTest, LeavesTheCallersDeviceAndLastErrorAsTheyWere) {
  if (test::device_count() > 1) test::use_device(1);
  const int current = test::current_device();
  {
    Runtime runtime{device, options()};
    const int code = test::own_failing_call();
    static_cast<void>(runtime.collect(runtime.submit(small(), stream)));
    runtime.read(got, test::view(source), stream, {.snapshot = true});
    runtime.async_read("array", got, test::view(source), stream);
    runtime.guard_source("array", stream);
    runtime.async_wait("array");
    EXPECT_EQ(test::last_error(), code);
    EXPECT_EQ(test::current_device(), current);
  }
  EXPECT_EQ(test::current_device(), current);
  test::use_device(0);
}

TEST_F(RuntimeTest, ServesManyThreadsAtOnce) {
  Runtime runtime{device, options()};
  std::atomic<int> wrong{0};
  std::vector<std::thread> users;
  for (int user = 0; user < 4; ++user) {
    users.emplace_back([&, tag = std::to_string(user)] {
      const test::Stream mine;
      std::vector<std::byte> room(bytes);
      for (int round = 0; round < 30; ++round) {
        const Ticket ticket = runtime.submit_for(small(), mine, 60s);
        runtime.async_read(tag, room, test::view(source), mine, {.snapshot = round % 3 == 0});
        runtime.async_load(tag + "job", [&room] { static_cast<void>(room); });
        runtime.async_wait(tag + "job");
        runtime.async_wait(tag);
        wrong += room == test::pattern(bytes) ? 0 : 1;
        runtime.read(room, test::view(source), mine);
        wrong += runtime.collect(ticket) == test::pattern(16) ? 0 : 1;
      }
    });
  }
  for (std::thread& user : users) user.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(runtime.statistics().reads, 240U);
  EXPECT_EQ(runtime.statistics().rings.outstanding, 0U);
}

}  // namespace
