// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// Large reads whose chunks are worth to be cut: by whom they are copied, and into which memory.

#include <tailrace/runtime.hpp>

#include "tests/support/readbacks.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <vector>

namespace {

using tailrace::Device;
using tailrace::DriverCall;
using tailrace::DriverCalls;
using tailrace::Runtime;
using tailrace::RuntimeOptions;

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t mebibyte = 1024 * kibibyte;

/// Anonymous memory that no page is behind yet.
class FreshMemory {
 public:
  explicit FreshMemory(std::size_t bytes) : bytes_{bytes} {
    mapped_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) throw std::bad_alloc{};
  }
  ~FreshMemory() { munmap(mapped_, bytes_); }
  FreshMemory(const FreshMemory&) = delete;
  FreshMemory& operator=(const FreshMemory&) = delete;
  [[nodiscard]] std::span<std::byte> bytes() const { return {static_cast<std::byte*>(mapped_), bytes_}; }

 private:
  std::size_t bytes_;
  void* mapped_ = nullptr;
};

class ArrayReaderPiecesTest : public testing::Test {
 protected:
  const Device device{0};
  test::Stream stream;
  const std::vector<std::byte> content = test::pattern(9 * mebibyte + 333);
  const test::Buffer source = test::on_device(content);

  static RuntimeOptions options() { return {.chunk_bytes = 2 * mebibyte, .chunk_slots = 3}; }
  static RuntimeOptions options_with(tailrace::ForeignArena arena) {
    RuntimeOptions made = options();
    made.copy_streams.arena = tailrace::CopyArena{std::move(arena)};
    return made;
  }
  void read(Runtime& runtime, bool async, std::span<std::byte> to, std::size_t bytes) {
    if (async) {
      runtime.async_read("array", to, {source.data(), bytes}, stream);
      runtime.async_wait("array");
    } else {
      runtime.read(to, {source.data(), bytes}, stream);
    }
  }
  /// Is this what arrives, at a bad alignment and nothing beside it?
  void expect_read(Runtime& runtime, std::span<std::byte> room, bool async, std::size_t bytes) {
    const std::byte left = room[12];
    const std::byte right = room[13 + bytes];
    read(runtime, async, room.subspan(13, bytes), bytes);
    ASSERT_TRUE(std::equal(content.begin(), content.begin() + std::ptrdiff_t(bytes), room.begin() + 13)) << bytes;
    ASSERT_EQ(room[12], left);
    ASSERT_EQ(room[13 + bytes], right);
  }
};

TEST_F(ArrayReaderPiecesTest, ReadsIntoTouchedAndFreshMemory) {
  Runtime runtime{device, options()};
  for (const bool async : {false, true}) {
    for (const std::size_t bytes :
         {64 * kibibyte, 255 * kibibyte, 257 * kibibyte, mebibyte, 3 * mebibyte + 1, content.size()}) {
      std::vector<std::byte> touched(content.size() + 64, std::byte{0xA5});
      expect_read(runtime, touched, async, bytes);
      const FreshMemory fresh{content.size() + 64};
      expect_read(runtime, fresh.bytes(), async, bytes);
    }
  }
}

TEST_F(ArrayReaderPiecesTest, CopiesEverythingItselfIfTheArenaNeverGetsRoundToIt) {
  Runtime runtime{device, options_with({.threads = 8, .enqueue = [](const std::function<void()>&) {}})};
  for (const bool async : {false, true}) {
    std::vector<std::byte> touched(content.size() + 64, std::byte{0xA5});
    expect_read(runtime, touched, async, content.size());
    const FreshMemory fresh{content.size() + 64};
    expect_read(runtime, fresh.bytes(), async, content.size());
  }
}

TEST_F(ArrayReaderPiecesTest, LeavesTheArenaAloneForASmallRead) {
  int enqueued = 0;
  Runtime runtime{device, options_with({.threads = 8, .enqueue = [&](const std::function<void()>&) { ++enqueued; }})};
  std::vector<std::byte> room(content.size(), std::byte{0xA5});
  for (int round = 0; round < 10; ++round) read(runtime, false, room, 256 * kibibyte);
  EXPECT_EQ(enqueued, 0);
  read(runtime, false, room, content.size());
  EXPECT_GT(enqueued, 0);
}

TEST_F(ArrayReaderPiecesTest, AsksTheDriverAboutAReadOnceAndNotForEachChunk) {
  Runtime runtime{device, options()};
  std::vector<std::byte> room(content.size(), std::byte{0xA5});
  const auto calls_of = [&](std::size_t bytes) {
    read(runtime, false, room, bytes);
    const DriverCalls before = runtime.statistics().chunks.calls;
    read(runtime, false, room, bytes);
    const DriverCalls after = runtime.statistics().chunks.calls;
    return [before, after](DriverCall call) { return after[call] - before[call]; };
  };
  const auto small = calls_of(64 * kibibyte);
  EXPECT_EQ(small(DriverCall::copy), 1U);
  EXPECT_EQ(small(DriverCall::event_record), 2U);  // the producer's edge, and the completion
  const auto large = calls_of(content.size());
  EXPECT_GT(large(DriverCall::copy), 5U);
  for (const auto& calls : {small, large}) {
    EXPECT_EQ(calls(DriverCall::pointer_query), 2U);  // the source, and the destination
    EXPECT_EQ(calls(DriverCall::capture_query), 1U);
    EXPECT_EQ(calls(DriverCall::stream_wait), 1U);
  }
}

}  // namespace
