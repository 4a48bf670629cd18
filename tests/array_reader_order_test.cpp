// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// Large reads beside other work: when the source may be overwritten, several reads at once, and who does the copying.

#include <tailrace/error.hpp>
#include <tailrace/runtime.hpp>

#include "tests/support/readbacks.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tailrace::Device;
using tailrace::DeviceView;
using tailrace::Errc;
using tailrace::Runtime;
using tailrace::RuntimeOptions;
using tailrace::StreamRef;
using test::error_of;

constexpr std::size_t chunk = 4096;
constexpr std::size_t words = 10 * chunk / 8;

class ArrayReaderOrderTest : public testing::Test {
 protected:
  const Device device{0};
  test::Stream stream;
  test::Stream other;
  test::Buffer source{words * 8};
  std::vector<std::byte> got = std::vector<std::byte>(words * 8);

  static RuntimeOptions options(unsigned slots) { return {.chunk_bytes = chunk, .chunk_slots = slots}; }
  /// Everything that is made at first use.
  void warm_up(Runtime& runtime, tailrace::ReadOptions how = {}) {
    std::vector<std::byte> elsewhere(got.size());
    runtime.async_read("first", got, test::view(source), stream, how);
    runtime.async_read("second", elsewhere, test::view(source), other, how);
    runtime.async_wait("first");
    runtime.async_wait("second");
  }
};

TEST_F(ArrayReaderOrderTest, ReadsAfterAllWorkThatIsOnTheProducer) {
  Runtime runtime{device, options(3)};
  const test::Stream blocking{test::Stream::blocking};
  std::uint64_t stamped = 0;
  for (const StreamRef producer :
       {StreamRef::legacy(), StreamRef::per_thread(), StreamRef{blocking}, StreamRef{stream}}) {
    for (int round = 0; round < 100; ++round) {
      test::stamp_slow(source, 0, words, ++stamped, producer);
      runtime.read(got, test::view(source), producer);
      ASSERT_TRUE(test::all_words_are(got, stamped));
    }
  }
}

TEST_F(ArrayReaderOrderTest, WaitsForNothingThatTheProducerGetsAfterwards) {
  Runtime runtime{device, options(3)};
  warm_up(runtime);
  test::stamp(source, 0, words, 1, stream);
  stream.synchronize();
  runtime.async_read("array", got, test::view(source), stream);
  const test::Hold hold{stream};
  runtime.async_wait("array");
  EXPECT_TRUE(test::all_words_are(got, 1));
}

TEST_F(ArrayReaderOrderTest, GuardsTheSourceUntilItHasBeenRead) {
  Runtime runtime{device, options(16)};  // all chunks can be enqueued while the producer is held
  warm_up(runtime);
  for (std::uint64_t round = 1; round <= 20; ++round) {
    test::stamp(source, 0, words, round, stream);
    stream.synchronize();
    test::Hold hold{stream};
    runtime.async_read("array", got, test::view(source), stream);
    runtime.guard_source("array", other);
    test::stamp(source, 0, words, 1000 + round, other);  // would run at once
    hold.release();
    runtime.async_wait("array");
    ASSERT_TRUE(test::all_words_are(got, round));
    other.synchronize();
  }
}

TEST_F(ArrayReaderOrderTest, MayOverwriteTheSourceBehindItsGuardAThousandTimes) {
  Runtime runtime{device, options(2)};
  for (std::uint64_t round = 1; round <= 1000; ++round) {
    test::stamp(source, 0, words, round, stream);
    runtime.async_read("array", got, test::view(source), stream);
    runtime.guard_source("array", stream);
    test::stamp(source, 0, words, ~round, stream);
    runtime.async_wait("array");
    ASSERT_TRUE(test::all_words_are(got, round));
  }
}

TEST_F(ArrayReaderOrderTest, MayFreeTheSourceInStreamOrderBehindItsGuard) {
  Runtime runtime{device, options(2)};
  for (std::uint64_t round = 1; round <= 1000; ++round) {
    test::Buffer mine = test::Buffer::stream_ordered(words * 8, stream);
    test::stamp(mine, 0, words, round, stream);
    runtime.async_read("array", got, test::view(mine), stream);
    runtime.guard_source("array", stream);
    test::free_async(std::move(mine), stream);
    runtime.async_wait("array");
    ASSERT_TRUE(test::all_words_are(got, round));
  }
}

TEST_F(ArrayReaderOrderTest, KnowsWhichTagsHaveASourceToGuard) {
  Runtime runtime{device, options(2)};
  EXPECT_EQ(error_of([&] { runtime.guard_source("unknown", stream); }), Errc::unknown_tag);
  runtime.async_load("job", [] {});
  runtime.guard_source("job", stream);
  runtime.async_wait("job");
}

TEST_F(ArrayReaderOrderTest, TakesASnapshotThatTheProducerMayOverwriteAtOnce) {
  Runtime runtime{device, options(2)};
  warm_up(runtime, {.snapshot = true});
  for (std::uint64_t round = 1; round <= 1000; ++round) {
    test::Hold hold{stream};
    test::stamp(source, 0, words, round, stream);
    runtime.async_read("array", got, test::view(source), stream, {.snapshot = true});
    test::stamp(source, 0, words, ~round, stream);
    hold.release();
    runtime.async_wait("array");
    ASSERT_TRUE(test::all_words_are(got, round));
  }
  EXPECT_EQ(runtime.statistics().snapshots, 1002U);
  EXPECT_LE(runtime.statistics().snapshot_bytes, 2 * words * 8);
}

TEST_F(ArrayReaderOrderTest, GuardsTheSourceOfASnapshotFromOtherStreamsWithoutBlocking) {
  Runtime runtime{device, options(2)};
  warm_up(runtime, {.snapshot = true});
  const std::unique_ptr<void, void (*)(void*)> pinned{test::pinned_allocate(words * 8), test::pinned_free};
  const std::span<std::byte> direct{static_cast<std::byte*>(pinned.get()), words * 8};
  for (std::uint64_t round = 1; round <= 40; ++round) {
    const std::span<std::byte> destination = round % 2 == 0 ? direct : std::span{got};
    test::stamp(source, 0, words, round, stream);
    stream.synchronize();
    test::Hold hold{stream};
    runtime.async_read("array", destination, test::view(source), stream, {.snapshot = true});
    runtime.guard_source("array", other);
    test::stamp(source, 0, words, 1000 + round, other);  // would run at once
    hold.release();
    runtime.async_wait("array");
    ASSERT_TRUE(test::all_words_are(destination, round)) << round;
    other.synchronize();
  }
}

TEST_F(ArrayReaderOrderTest, SubmitsNoChunkWhoseSlotIsNotFree) {
  Runtime runtime{device, options(2)};
  for (int round = 0; round < 20; ++round) runtime.read(got, test::view(source), stream);
  EXPECT_EQ(runtime.statistics().chunks.stalls, 0U);
  EXPECT_EQ(runtime.statistics().chunks.refusals, 0U);
}

TEST_F(ArrayReaderOrderTest, TakesADenseSnapshotOfAPitchedSource) {
  Runtime runtime{device, options(2)};
  const std::vector<std::byte> content = test::pattern(100 * 128);
  const test::Buffer pitched = test::on_device(content);
  std::vector<std::byte> dense(100 * 100);
  runtime.read(dense, DeviceView::pitched(pitched.data(), 100, 100, 128), stream, {.snapshot = true});
  for (std::size_t row = 0; row < 100; ++row) {
    ASSERT_EQ(std::memcmp(&dense[row * 100], &content[row * 128], 100), 0) << row;
  }
  EXPECT_EQ(runtime.statistics().snapshot_bytes, dense.size());
}

TEST_F(ArrayReaderOrderTest, BoundsTheMemoryOfItsSnapshots) {
  RuntimeOptions limited = options(2);
  limited.snapshot_limit = words * 8 + 100;
  Runtime runtime{device, limited};
  std::vector<std::byte> second(got.size());
  test::stamp(source, 0, words, 1, stream);
  runtime.read(got, test::view(source), stream, {.snapshot = true});
  {
    const test::Hold hold{stream};
    runtime.async_read("array", got, test::view(source), stream, {.snapshot = true});
    EXPECT_EQ(error_of([&] { runtime.async_read("more", second, test::view(source), other, {.snapshot = true}); }),
              Errc::budget_exceeded);
  }
  runtime.async_wait("array");
  runtime.async_read("more", second, test::view(source), other, {.snapshot = true});
  runtime.async_wait("more");
  EXPECT_TRUE(test::all_words_are(second, 1));
  // An unused one of another size makes room.
  runtime.read(got, DeviceView{source.data(), 1000}, stream, {.snapshot = true});
  EXPECT_EQ(runtime.statistics().snapshot_bytes, 1000U);
}

TEST_F(ArrayReaderOrderTest, GoesOnBesideAStalledProducer) {
  Runtime runtime{device, options(2)};
  warm_up(runtime);
  test::stamp(source, 0, words, 7, other);
  other.synchronize();
  std::vector<std::byte> stalled(words * 8);
  test::Hold hold{stream};
  runtime.async_read("stalled", stalled, test::view(source), stream);
  runtime.async_read("array", got, test::view(source), other);
  runtime.async_wait("array");
  EXPECT_TRUE(test::all_words_are(got, 7));
  runtime.read(got, test::view(source), other);
  EXPECT_FALSE(runtime.copy_streams().finished("stalled"));
  hold.release();
  runtime.async_wait("stalled");
  EXPECT_TRUE(test::all_words_are(stalled, 7));
}

TEST_F(ArrayReaderOrderTest, ServesMoreReadsAtOnceThanItHasTransfers) {
  Runtime runtime{device, options(3)};
  std::vector<test::Stream> streams(8);
  std::vector<test::Buffer> sources;
  std::vector<std::vector<std::byte>> results;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    sources.emplace_back(words * 8);
    results.emplace_back(words * 8);
  }
  std::thread reader{[&] {
    for (int round = 0; round < 20; ++round) runtime.read(got, test::view(source), stream);
  }};
  for (std::uint64_t round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < streams.size(); ++i) {
      test::stamp_slow(sources[i], 0, words, round * 100 + i, streams[i]);
      runtime.async_read(std::to_string(i), results[i], test::view(sources[i]), streams[i]);
    }
    for (std::size_t i = streams.size(); i-- > 0;) {
      runtime.async_wait(std::to_string(i));
      ASSERT_TRUE(test::all_words_are(results[i], round * 100 + i));
    }
  }
  reader.join();
  EXPECT_EQ(runtime.statistics().reads, 100U);
}

TEST_F(ArrayReaderOrderTest, CopiesOnTheWaiterWhereTheArenaNeverGetsRoundToIt) {
  RuntimeOptions helpless = options(2);
  helpless.copy_streams.arena = tailrace::CopyArena{tailrace::ForeignArena{1, [](const std::function<void()>&) {}}};
  Runtime runtime{device, helpless};
  test::stamp(source, 0, words, 5, stream);
  runtime.read(got, test::view(source), stream);
  EXPECT_TRUE(test::all_words_are(got, 5));
  std::vector<std::byte> again(words * 8);
  runtime.async_read("array", again, test::view(source), stream);
  runtime.async_wait("array");
  EXPECT_TRUE(test::all_words_are(again, 5));
}

TEST_F(ArrayReaderOrderTest, UsesASmallPartOfACoreWhileAReadIsBlocked) {
  Runtime runtime{device, options(2)};
  warm_up(runtime);
  static_cast<void>(runtime.collect(runtime.submit(DeviceView{source.data(), 8}, stream)));
  test::Hold hold{stream};
  double reader_share = 1;
  std::thread reader{[&] {
    const test::CpuShare share;
    runtime.read(got, test::view(source), stream);
    reader_share = share.now();
  }};
  const tailrace::Ticket never = runtime.submit(DeviceView{source.data(), 8}, stream);
  EXPECT_EQ(runtime.wait_for(never, 300ms), tailrace::SlotState::pending);
  hold.release();
  reader.join();
  EXPECT_LT(reader_share, test::small_share);
  runtime.discard(never);
}

TEST_F(ArrayReaderOrderTest, AllocatesNothingMoreAfterWarmUp) {
  Runtime runtime{device, options(2)};
  warm_up(runtime);
  warm_up(runtime, {.snapshot = true});
  const tailrace::DriverCalls before = runtime.statistics().chunks.calls;
  for (int round = 0; round < 100; ++round) {
    runtime.async_read("array", got, test::view(source), stream, {.snapshot = round % 2 == 0});
    runtime.async_wait("array");
  }
  const tailrace::DriverCalls after = runtime.statistics().chunks.calls;
  for (const auto call : {tailrace::DriverCall::pinned_allocate, tailrace::DriverCall::pinned_register,
                          tailrace::DriverCall::device_allocate, tailrace::DriverCall::event_create,
                          tailrace::DriverCall::stream_create}) {
    EXPECT_EQ(after[call], before[call]) << to_string(call);
  }
}

}  // namespace
