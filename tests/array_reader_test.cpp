// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

#include <tailrace/error.hpp>
#include <tailrace/runtime.hpp>

#include "src/region.hpp"
#include "tests/support/readbacks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using tailrace::Device;
using tailrace::DeviceView;
using tailrace::Errc;
using tailrace::Runtime;
using tailrace::RuntimeOptions;
using test::error_of;

constexpr std::size_t chunk = 4096;
constexpr std::byte canary{0xA5};

class ArrayReaderTest : public testing::Test {
 protected:
  const Device device{0};
  test::Stream stream;
  Runtime runtime{device, {.chunk_bytes = chunk, .chunk_slots = 3}};

  /// Reads in both ways: is this what arrives, and nothing behind it?
  void expect_read(const DeviceView& view, const std::vector<std::byte>& expected) {
    for (const bool async : {false, true}) {
      std::vector<std::byte> got(expected.size() + 64, canary);
      if (async) {
        runtime.async_read("array", got, view, stream);
        runtime.async_wait("array");
      } else {
        runtime.read(got, view, stream);
      }
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), got.begin())) << expected.size() << async;
      ASSERT_EQ(std::count(got.end() - 64, got.end(), canary), 64) << expected.size() << async;
    }
  }
};

TEST_F(ArrayReaderTest, ReadsEverySizeAroundTheBordersOfChunks) {
  for (const std::size_t chunks : {0U, 1U, 2U, 3U, 4U, 10U}) {
    for (const int more : {-1, 0, 1, 63, 100}) {
      if (chunks == 0 && more < 0) continue;
      const std::vector<std::byte> content = test::pattern(chunks * chunk + std::size_t(more));
      const test::Buffer source = test::on_device(content);
      expect_read(test::view(source), content);
    }
  }
}

TEST_F(ArrayReaderTest, ReadsNothingFromAnywhere) {
  expect_read({}, {});
  expect_read({nullptr, 0}, {});
  EXPECT_EQ(runtime.statistics().chunks.submissions, 0U);
}

struct Box {
  std::size_t width, height, depth, pitch, rows_of_slice;
};

std::string name_of(const testing::TestParamInfo<Box>& info) {
  const Box& box = info.param;
  return std::to_string(box.width) + "x" + std::to_string(box.height) + "x" + std::to_string(box.depth);
}

class PitchedReadTest : public ArrayReaderTest, public testing::WithParamInterface<Box> {};

TEST_P(PitchedReadTest, ArrivesDense) {
  const Box box = GetParam();
  const std::size_t slice_pitch = box.pitch * box.rows_of_slice;
  const std::vector<std::byte> content = test::pattern(32 + slice_pitch * box.depth);
  const test::Buffer source = test::on_device(content);
  std::vector<std::byte> dense;
  for (std::size_t z = 0; z < box.depth; ++z) {
    for (std::size_t y = 0; y < box.height; ++y) {
      const auto row = content.begin() + std::ptrdiff_t(32 + z * slice_pitch + y * box.pitch);
      dense.insert(dense.end(), row, row + std::ptrdiff_t(box.width));
    }
  }
  expect_read(DeviceView::pitched(source.data(), box.width, box.height, box.depth, box.pitch, slice_pitch).shifted(32),
              dense);
}

INSTANTIATE_TEST_SUITE_P(Boxes, PitchedReadTest,
                         testing::Values(Box{100, 300, 1, 128, 300}, Box{4096, 10, 1, 5000, 10},
                                         Box{4095, 10, 1, 4096, 10}, Box{4097, 10, 1, 4100, 10},
                                         Box{10'000, 5, 1, 10'001, 5}, Box{100, 7, 30, 128, 9},
                                         Box{1000, 9, 5, 1000, 10}, Box{64, 8, 16, 64, 8}, Box{5000, 3, 4, 6000, 3},
                                         Box{1, 1, 5000, 16, 1}),
                         name_of);

TEST_F(ArrayReaderTest, ReadsIntoTypedDestinations) {
  const std::vector<std::byte> content = test::pattern(8 * 5000);
  const test::Buffer source = test::on_device(content);
  std::vector<double> vector(5000);
  runtime.read(vector, test::view(source), stream);
  EXPECT_EQ(std::memcmp(vector.data(), content.data(), content.size()), 0);
  std::vector<std::uint32_t> words(10'000);
  runtime.async_read("words", std::span{words}, test::view(source), stream);
  runtime.async_wait("words");
  EXPECT_EQ(std::memcmp(words.data(), content.data(), content.size()), 0);
}

TEST_F(ArrayReaderTest, WritesMemoryThatIsPinnedAsAWholeDirectly) {
  const std::vector<std::byte> content = test::pattern(10 * chunk + 5);
  const test::Buffer source = test::on_device(content);
  const std::unique_ptr<void, void (*)(void*)> pinned{test::pinned_allocate(content.size()), test::pinned_free};
  const std::span destination{static_cast<std::byte*>(pinned.get()), content.size()};
  runtime.read(destination, test::view(source), stream);
  EXPECT_TRUE(std::ranges::equal(destination, content));
  std::ranges::fill(destination, canary);
  runtime.async_read("pinned", destination, test::view(source), stream);
  runtime.guard_source("pinned", stream);
  runtime.async_wait("pinned");
  EXPECT_TRUE(std::ranges::equal(destination, content));
  EXPECT_EQ(runtime.statistics().direct_reads, 2U);
  EXPECT_EQ(runtime.statistics().chunks.submissions, 0U);
}

TEST_F(ArrayReaderTest, TakesMemoryThatIsPartlyPinnedForPageable) {
  constexpr std::size_t page = 4096;
  const std::vector<std::byte> content = test::pattern(8 * page);
  const test::Buffer source = test::on_device(content);
  const std::unique_ptr<void, void (*)(void*)> memory{std::aligned_alloc(page, 8 * page), std::free};
  auto* const bytes = static_cast<std::byte*>(memory.get());
  test::register_pinned(bytes, 4 * page);
  runtime.read(std::span{bytes, 8 * page}, test::view(source), stream);
  EXPECT_TRUE(std::ranges::equal(std::span{bytes, 8 * page}, content));
  EXPECT_EQ(runtime.statistics().direct_reads, 0U);
  runtime.read(std::span{bytes, 4 * page}, DeviceView{source.data(), 4 * page}, stream);
  EXPECT_EQ(runtime.statistics().direct_reads, 1U);
  test::unregister_pinned(bytes);
  EXPECT_EQ(runtime.statistics().chunks.calls[tailrace::DriverCall::pinned_register], 0U);
}

TEST_F(ArrayReaderTest, RefusesBadArgumentsBeforeAnythingIsWrittenAndLeavesTheTagFree) {
  const test::Buffer source = test::on_device(test::pattern(2 * chunk));
  std::vector<std::byte> room(2 * chunk, canary);
  const DeviceView all = test::view(source);
  const auto refused = [&](std::span<std::byte> to, const DeviceView& from, Errc why) {
    EXPECT_EQ(error_of([&] { runtime.read(to, from, stream); }), why);
    EXPECT_EQ(error_of([&] { runtime.async_read("tag", to, from, stream); }), why);
    EXPECT_EQ(error_of([&] { runtime.async_wait("tag"); }), Errc::unknown_tag);
  };
  refused(std::span{room}.first(2 * chunk - 1), all, Errc::buffer_too_small);
  refused(room, {nullptr, 16}, Errc::null_source);
  refused(room, {source.data(), 16, ~std::size_t{0}}, Errc::region_overflow);
  const std::unique_ptr<void, void (*)(void*)> pinned{test::pinned_allocate(64), test::pinned_free};
  refused(room, {pinned.get(), 64}, Errc::wrong_memory);
  EXPECT_EQ(std::count(room.begin(), room.end(), canary), std::ptrdiff_t(room.size()));
  EXPECT_EQ(test::last_error(), 0);
  if (test::device_count() < 2) return;
  test::use_device(1);
  const test::Stream elsewhere;
  const test::Buffer there = test::on_device(test::pattern(64));
  EXPECT_EQ(error_of([&] { runtime.read(room, all, elsewhere); }), Errc::wrong_device);
  EXPECT_EQ(error_of([&] { runtime.read(room, all, elsewhere, {.snapshot = true}); }), Errc::wrong_device);
  EXPECT_EQ(error_of([&] { runtime.read(room, test::view(there), stream); }), Errc::wrong_device);
  runtime.read(room, all, stream);
  EXPECT_EQ(test::current_device(), 1);
  test::use_device(0);
}

TEST_F(ArrayReaderTest, RefusesAStreamThatIsBeingCaptured) {
  const test::Buffer source = test::on_device(test::pattern(64));
  std::vector<std::byte> room(64);
  test::begin_capture(stream, test::CaptureMode::global);
  EXPECT_EQ(error_of([&] { runtime.read(room, test::view(source), stream); }), Errc::stream_capturing);
  EXPECT_TRUE(test::end_capture(stream));
  runtime.read(room, test::view(source), stream);
  EXPECT_EQ(room, test::pattern(64));
}

// ---- sizes beyond 4 GiB

/// Walks over a region in parts, and checks that they follow each other without a gap.
void expect_exact_parts(const DeviceView& view, std::size_t limit) {
  const tailrace::detail::Source whole = tailrace::detail::checked(view, "test");
  std::size_t done = 0;
  for (int count = 0; done != whole.bytes; ++count) {
    ASSERT_LT(count, 100'000);
    const auto part = tailrace::detail::part(whole, done, std::min(limit, whole.bytes - done));
    ASSERT_GT(part.bytes, 0U);
    ASSERT_LE(part.bytes, limit);
    const std::size_t row = done / view.width;
    const std::size_t expected = row / view.height * view.slice_pitch + row % view.height * view.pitch +
                                 (view.dense() ? done : done % view.width);
    ASSERT_EQ(static_cast<const std::byte*>(part.region.data) - static_cast<const std::byte*>(view.data),
              std::ptrdiff_t(view.dense() ? done : expected));
    done += part.bytes;
  }
}

TEST(PartTest, IsExactBeyondFourGibibytes) {
  constexpr std::size_t gibibyte = std::size_t{1} << 30;
  const void* const somewhere = reinterpret_cast<const void*>(std::uintptr_t{1} << 40);  // never dereferenced
  expect_exact_parts({somewhere, 9 * gibibyte + 7}, 8 << 20);
  expect_exact_parts(DeviceView::pitched(somewhere, 5 * gibibyte + 1, 3, 5 * gibibyte + 512), 1 << 30);
  expect_exact_parts(DeviceView::pitched(somewhere, 70'000, 70'000, 3, 70'016, 70'016 * std::size_t{70'001}), 64 << 20);
}

TEST_F(ArrayReaderTest, ReadsMoreThanFourGibibytesExactly) {
  constexpr std::size_t bytes = (std::size_t{4} << 30) + 2 * chunk + 8;
  if (tailrace::backend_name() == "host" || device.info().memory_bytes < 4 * bytes) GTEST_SKIP() << "too little memory";
  test::Buffer source{bytes};
  const std::vector<std::size_t> places{0, (std::size_t{2} << 30) - 8, std::size_t{4} << 30, bytes - 8};
  for (std::size_t i = 0; i < places.size(); ++i) test::stamp(source, places[i], 1, 1000 + i, stream);
  Runtime large{device};
  std::vector<std::byte> got(bytes);
  large.read(got, test::view(source), stream);
  for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ(test::word(got, places[i]), 1000 + i);
  EXPECT_EQ(large.statistics().read_bytes, bytes);
}

}  // namespace
