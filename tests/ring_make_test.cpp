// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// How a ring is made, and what it is made of.

#include "tests/support/one_block.hpp"
#include "tests/support/ring.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace {

using namespace test;
using tailrace::Device;
using tailrace::DriverCall;
using tailrace::PinnedSource;

using RingMake = RingTest;

TEST_F(RingMake, ClampsTheNumberOfSlots) {
  EXPECT_EQ(make(0).slots(), 2U);
  EXPECT_EQ(make(1).slots(), 2U);
  EXPECT_EQ(make(7).slots(), 7U);
  EXPECT_EQ(make(257, 4).slots(), 256U);
  EXPECT_EQ(RingOptions{}.slots, 256U);
}

TEST_F(RingMake, TurnsACapacityOfZeroIntoFour) {
  ReadbackRing ring = make(2, 0);
  EXPECT_EQ(ring.capacity(), 4U);
  EXPECT_EQ(ring.collect(ring.submit({buffer.data(), 4}, stream)).size(), 4U);
  EXPECT_EQ(errc_of([&] { return ring.submit({buffer.data(), 5}, stream); }), Errc::exceeds_slot);
}

TEST_F(RingMake, RefusesACapacityThatDoesNotFitInTheAddressSpace) {
  EXPECT_EQ(errc_of([&] { return make(2, ~std::size_t{0}); }), Errc::region_overflow);
  EXPECT_EQ(errc_of([&] { return make(2, ~std::size_t{0} / 2); }), Errc::region_overflow);
}

TEST_F(RingMake, SaysWhatItHolds) {
  ReadbackRing ring = make(4, 1000);
  EXPECT_EQ(ring.name(), "residual");
  EXPECT_EQ(ring.device(), Device{0});
  EXPECT_EQ(ring.capacity(), 1000U);
  EXPECT_EQ(ring.pinned_bytes(), 4U * 1024U);
  EXPECT_EQ(ring.statistics().pinned_bytes, ring.pinned_bytes());
  EXPECT_NE(ring.id(), 0U);
  EXPECT_NE(ring.id(), make(2).id());
}

TEST_F(RingMake, AlignsEverySlotForAnyType) {
  ReadbackRing ring = make(4, 20);
  for (int i = 0; i < 4; ++i) {
    ring.visit(ring.submit(view(), stream), [](std::span<const std::byte> bytes) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 256, 0U);
    });
  }
}

TEST_F(RingMake, CopiesOnTheCallersStreamIfThereIsOne) {
  Stream copies;
  RingOptions made = options(2);
  made.copy_stream = copies;
  ReadbackRing ring{Device{0}, made};
  EXPECT_EQ(ring.statistics().calls[DriverCall::stream_create], 0U);
  Hold hold{copies};
  const Ticket ticket = submit(ring, 3);
  const Ticket same = ring.submit(view(), copies);
  EXPECT_EQ(ring.wait_for(ticket, std::chrono::milliseconds{20}), SlotState::pending);
  hold.release();
  EXPECT_EQ(value_of(ring, ticket), 3U);
  EXPECT_EQ(value_of(ring, same), 3U);
}

TEST_F(RingMake, RefusesThePerThreadStreamAsCopyStreamByName) {
  RingOptions made = options(2);
  made.copy_stream = StreamRef::per_thread();
  const auto error = error_of([&] { ReadbackRing{Device{0}, made}; });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->errc(), Errc::invalid_argument);
  EXPECT_NE(std::string{error->what()}.find("per-thread"), std::string::npos);
}

TEST_F(RingMake, TakesItsSlotsFromAPinnedSource) {
  void* const block = pinned_allocate(8192);
  const auto source = std::make_shared<OneBlock>(block);
  RingOptions made = options(2);
  made.pinned_source = source;
  {
    ReadbackRing ring{Device{0}, made};
    EXPECT_EQ(source->asked, 8192U);
    EXPECT_EQ(source->device, 0);
    EXPECT_EQ(ring.statistics().calls[DriverCall::pinned_allocate], 0U);
    ring.visit(ring.submit(view(), stream),
               [&](std::span<const std::byte> bytes) { EXPECT_EQ(static_cast<const void*>(bytes.data()), block); });
  }
  EXPECT_EQ(source->returned, 1);
  pinned_free(block);
}

TEST_F(RingMake, NeverUsesMemoryThatIsNotPinned) {
  void* const block = std::aligned_alloc(4096, 8192);
  const auto source = std::make_shared<OneBlock>(block);
  RingOptions made = options(2);
  made.pinned_source = source;
  const auto error = error_of([&] { ReadbackRing{Device{0}, made}; });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->errc(), Errc::wrong_memory);
  EXPECT_NE(std::string{error->what()}.find("8192 bytes"), std::string::npos);
  EXPECT_EQ(source->returned, 1);
  // Nor if only a part of it is.
  register_pinned(block, 4096);
  EXPECT_EQ(errc_of([&] { ReadbackRing{Device{0}, made}; }), Errc::wrong_memory);
  unregister_pinned(block);
  EXPECT_EQ(last_error(), 0);
  std::free(block);
}

TEST_F(RingMake, RefusesPinnedMemoryThatIsNotAligned) {
  void* const block = pinned_allocate(16384);
  const auto source = std::make_shared<OneBlock>(static_cast<std::byte*>(block) + 8);
  RingOptions made = options(2);
  made.pinned_source = source;
  EXPECT_EQ(errc_of([&] { ReadbackRing{Device{0}, made}; }), Errc::wrong_memory);
  EXPECT_EQ(source->returned, 1);
  pinned_free(block);
}

TEST_F(RingMake, FailsIfThePinnedSourceHasNothing) {
  RingOptions made = options(2);
  made.pinned_source = std::make_shared<OneBlock>(nullptr);
  EXPECT_EQ(errc_of([&] { ReadbackRing{Device{0}, made}; }), Errc::out_of_pinned_memory);
}

TEST_F(RingMake, CanBeMoved) {
  ReadbackRing first = make(2);
  const std::uint64_t id = first.id();
  const Ticket ticket = submit(first, 9);
  ReadbackRing second = std::move(first);
  EXPECT_EQ(second.id(), id);
  EXPECT_EQ(errc_of([&] { return first.collect(ticket); }), Errc::closed);
  first = std::move(second);
  EXPECT_EQ(value_of(first, ticket), 9U);
}

TEST_F(RingMake, IsOfADeviceThatSaysWhatItIs) {
  EXPECT_EQ(Device::count(), device_count());
  EXPECT_EQ(Device::current().ordinal(), current_device());
  const tailrace::DeviceInfo info = Device{0}.info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.architecture.empty());
  EXPECT_GT(info.memory_bytes, buffer.size());
  EXPECT_FALSE(tailrace::runtime_version().empty());
  EXPECT_FALSE(tailrace::driver_version().empty());
  EXPECT_EQ(tailrace::version(), TAILRACE_VERSION_STRING);
}

TEST_F(RingMake, RefusesADeviceThatIsNotThere) {
  EXPECT_EQ(errc_of([] { Device{device_count()}; }), Errc::no_device);
  EXPECT_EQ(errc_of([] { Device{-1}; }), Errc::no_device);
}

}  // namespace
