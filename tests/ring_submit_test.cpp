// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// What a submission does with its source, and in which order.

#include <tailrace/testing.hpp>

#include "tests/support/ring.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

namespace {

using namespace test;
using tailrace::Device;
using tailrace::DriverCall;
using ::testing::HasSubstr;

/// Bytes that differ from their neighbours.
std::vector<std::byte> pattern(std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::uint32_t state = 1;
  for (std::byte& b : bytes) b = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

std::uint64_t driver_calls(const ReadbackRing& ring) {
  const auto calls = ring.statistics().calls.count;
  return std::accumulate(calls.begin(), calls.end(), std::uint64_t{0});
}

using RingSubmit = RingTest;

TEST_F(RingSubmit, UsesTheSlotsInTurn) {
  ReadbackRing ring = make(3);
  for (std::uint64_t i = 0; i < 10; ++i) {
    const Ticket ticket = submit(ring, i);
    EXPECT_EQ(ticket.slot(), i % 3);
    EXPECT_EQ(ticket.sequence(), i);
    EXPECT_EQ(ticket.size(), word);
    EXPECT_EQ(ticket.ring(), ring.id());
    EXPECT_EQ(value_of(ring, ticket), i);
  }
}

TEST_F(RingSubmit, ReturnsWhileTheProducerIsHeldWhateverTheSize) {
  ReadbackRing ring = make(4, buffer.size());
  Hold hold{stream};
  std::vector<Ticket> tickets;
  for (const std::size_t size : {std::size_t{4}, std::size_t{4096}, buffer.size() / 2, buffer.size()}) {
    tickets.push_back(ring.submit({buffer.data(), size}, stream));
  }
  for (const Ticket& ticket : tickets) EXPECT_EQ(ring.state(ticket), SlotState::pending);
  hold.release();
  for (const Ticket& ticket : tickets) EXPECT_EQ(ring.wait(ticket), SlotState::ready);
}

TEST_F(RingSubmit, CopiesAfterTheWorkThatIsOnTheProducer) {
  ReadbackRing ring = make(2);
  buffer.fill(std::byte{0});
  Hold hold{stream};
  stamp(buffer, 0, 1, 7, stream);
  const Ticket ticket = ring.submit(view(), stream);
  EXPECT_EQ(ring.wait_for(ticket, std::chrono::milliseconds{20}), SlotState::pending);
  hold.release();
  EXPECT_EQ(value_of(ring, ticket), 7U);
}

TEST_F(RingSubmit, KeepsSubmissionsInOrderAlsoFromAnotherProducer) {
  ReadbackRing ring = make(2);
  Stream other;
  Hold hold{stream};
  const Ticket first = submit(ring, 1);
  const Ticket second = ring.submit({buffer.data(), 8, word}, other);
  EXPECT_EQ(ring.wait_for(second, std::chrono::milliseconds{20}), SlotState::pending);
  hold.release();
  EXPECT_EQ(ring.wait(second), SlotState::ready);
  EXPECT_EQ(ring.state(first), SlotState::ready);
}

TEST_F(RingSubmit, ReadsOffsetAndLengthToTheByte) {
  const auto bytes = pattern(4096);
  buffer.upload(bytes);
  ReadbackRing ring = make(2);
  for (const auto& [offset, length] : {std::pair<std::size_t, std::size_t>{0, 1}, {1, 1}, {3, 61}, {255, 2049}}) {
    const auto got = ring.collect(ring.submit({buffer.data(), offset, length}, stream));
    ASSERT_EQ(got.size(), length);
    EXPECT_TRUE(std::equal(got.begin(), got.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset)));
  }
}

TEST_F(RingSubmit, PacksPitchedRegionsDensely) {
  constexpr std::size_t width = 13, rows = 5, slices = 3, pitch = 32, slice = 7 * pitch, offset = 3;
  // Not a byte behind the last row: its padding must not be read.
  constexpr std::size_t extent = offset + (slices - 1) * slice + (rows - 1) * pitch + width;
  const auto bytes = pattern(extent);
  Buffer exact{extent};
  exact.upload(bytes);
  std::vector<std::byte> expected;
  for (std::size_t z = 0; z < slices; ++z) {
    for (std::size_t y = 0; y < rows; ++y) {
      const auto row = bytes.begin() + static_cast<std::ptrdiff_t>(offset + z * slice + y * pitch);
      expected.insert(expected.end(), row, row + width);
    }
  }
  ReadbackRing ring = make(2);
  DeviceView box = DeviceView::pitched(exact.data(), width, rows, slices, pitch, slice);
  box.offset = offset;
  EXPECT_EQ(ring.collect(ring.submit(box, stream)), expected);

  DeviceView plane = DeviceView::pitched(exact.data(), width, rows, pitch);
  plane.offset = offset;
  expected.resize(width * rows);
  EXPECT_EQ(ring.collect(ring.submit(plane, stream)), expected);
}

TEST_F(RingSubmit, OfZeroBytesIsReadyAtOnceWithoutADriverCall) {
  ReadbackRing ring = make(2);
  Hold hold{stream};
  const std::uint64_t calls = driver_calls(ring);
  for (const void* source : {static_cast<const void*>(nullptr), static_cast<const void*>(buffer.data())}) {
    const Ticket ticket = ring.submit({source, 0}, stream);
    EXPECT_EQ(ring.state(ticket), SlotState::ready);
    EXPECT_TRUE(ring.try_visit(ticket, [](std::span<const std::byte> bytes) { EXPECT_TRUE(bytes.empty()); }));
  }
  EXPECT_EQ(driver_calls(ring), calls);
  EXPECT_EQ(ring.collect(ring.submit({}, stream)).size(), 0U);
}

TEST_F(RingSubmit, MixesZeroBytesWithCopiesForManyRounds) {
  ReadbackRing ring = make(3);
  for (std::uint64_t i = 0; i < 100; ++i) {
    std::vector<Ticket> empty;
    for (std::uint64_t n = 0; n < i % 5 % 3; ++n) empty.push_back(ring.submit({}, stream));
    EXPECT_EQ(value_of(ring, submit(ring, i)), i);
    for (const Ticket& ticket : empty) EXPECT_EQ(ring.collect(ticket).size(), 0U);
  }
}

TEST_F(RingSubmit, RefusesABadSourceBeforeAnyDriverCall) {
  ReadbackRing ring = make(2);
  const std::uint64_t calls = driver_calls(ring);
  const auto refused = [&](const DeviceView& source) {
    const auto by_try = errc_of([&] { return ring.try_submit(source, stream); });
    const auto by_for = errc_of([&] { return ring.submit_for(source, stream, hang_guard); });
    const auto by_record = errc_of([&] { return ring.record(source, stream); });
    const auto by_submit = errc_of([&] { return ring.submit(source, stream); });
    EXPECT_TRUE(by_try == by_submit && by_for == by_submit && by_record == by_submit);
    return by_submit;
  };
  EXPECT_EQ(refused({nullptr, 1}), Errc::null_source);
  EXPECT_EQ(refused({buffer.data(), ~std::size_t{0}, 1}), Errc::region_overflow);
  EXPECT_EQ(refused({buffer.data(), 4097}), Errc::exceeds_slot);
  EXPECT_EQ(refused(DeviceView::pitched(buffer.data(), 8, 2, 4)), Errc::invalid_argument);
  EXPECT_EQ(driver_calls(ring), calls);
  EXPECT_EQ(submit(ring, 1).sequence(), 0U);
}

TEST_F(RingSubmit, RefusesHostMemoryAsSource) {
  ReadbackRing ring = make(2);
  const std::uint64_t on_stack = 0;
  EXPECT_EQ(errc_of([&] { return ring.submit({&on_stack, word}, stream); }), Errc::wrong_memory);
  void* const pinned = pinned_allocate(word);
  EXPECT_EQ(errc_of([&] { return ring.submit({pinned, word}, stream); }), Errc::wrong_memory);
  pinned_free(pinned);
  EXPECT_EQ(submit(ring, 1).sequence(), 0U);
}

TEST_F(RingSubmit, GoesOnWhenTheSequenceNumberWraps) {
  tailrace::control::start_sequences_at(~std::uint64_t{0} - 3);
  ReadbackRing ring = make(3);
  tailrace::control::start_sequences_at(0);
  std::vector<Ticket> used;
  for (std::uint64_t i = 0; i < 12; ++i) {
    const Ticket ticket = submit(ring, i);
    EXPECT_EQ(ticket.sequence(), ~std::uint64_t{0} - 3 + i);
    EXPECT_EQ(ticket.slot(), i % 3);
    for (const Ticket& old : used) {
      EXPECT_EQ(ring.state(old), SlotState::free);
      EXPECT_EQ(errc_of([&] { return ring.collect(old); }), Errc::stale_ticket);
    }
    EXPECT_EQ(value_of(ring, ticket), i);
    used.push_back(ticket);
  }
  // Also with a ring that is full across the wrap, and with slots that are recorded.
  const Ticket recorded = ring.record(view(), stream);
  ring.arm(recorded, stream);
  EXPECT_EQ(ring.collect(recorded).size(), word);
}

TEST_F(RingSubmit, NamesTheSlotAndTheDriverCallThatFailed) {
  ReadbackRing ring = make(2);
  const std::uint64_t on_stack = 0;
  const auto error = error_of([&] { return ring.submit({&on_stack, word}, stream); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->details().ring, "residual");
  EXPECT_EQ(error->details().slot, 0U);
  EXPECT_EQ(error->details().sequence, 0U);
  EXPECT_THAT(std::string{error->what()}, HasSubstr("'residual'"));
}

}  // namespace
