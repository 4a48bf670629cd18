// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// A large ring whose driver calls fail: it has other memory, or none is left, and none is lost that a device may write.
#include "src/slot_memory.hpp"

#include <tailrace/ring_set.hpp>

#include "tests/support/mapping.hpp"
#include "tests/support/ring_fault.hpp"

namespace {

using namespace test;
using tailrace::DriverCall;
using tailrace::detail::SlotMemory;

constexpr std::size_t slots = 4;
constexpr std::size_t large = SlotMemory::slab_from / slots;

class SlotMemoryFault : public RingFaultTest {
 protected:
  const faults::Resources before = faults::resources();

  void TearDown() override {
    faults::limit_pinned_bytes(~std::size_t{0});
    RingFaultTest::TearDown();
  }
  const std::byte* first_slot(ReadbackRing& ring) {
    return ring.visit(ring.submit(view(), stream), [](std::span<const std::byte> bytes) { return bytes.data(); });
  }
};

TEST_F(SlotMemoryFault, ASlabThatCannotBeRegisteredIsReplacedByTheVendorsAllocation) {
  faults::fail_call(DriverCall::pinned_register, 1);
  {
    ReadbackRing ring = make(slots, large);
    const auto s = ring.statistics();
    EXPECT_EQ(s.slab_bytes, 0U);
    EXPECT_EQ(s.pinned_bytes, SlotMemory::slab_from);
    EXPECT_EQ(s.calls[DriverCall::pinned_allocate], 1U);
    EXPECT_EQ(last_error(), 0);
    for (std::uint64_t i = 0; i < 2 * slots; ++i) EXPECT_EQ(value_of(ring, submit(ring, i)), i);
  }
  EXPECT_EQ(faults::resources().pinned_bytes, before.pinned_bytes);
  ReadbackRing ring = make(slots, large);
  EXPECT_EQ(ring.statistics().slab_bytes, SlotMemory::slab_from);
}

TEST_F(SlotMemoryFault, WithoutAnAnswerWhereTheDeviceIsTheSlabIsAnywhere) {
  faults::fail_call(DriverCall::device_query, 2);  // the first is the device's own
  const ReadbackRing ring = make(slots, large);
  EXPECT_EQ(ring.statistics().calls[DriverCall::device_query], 1U);
  EXPECT_EQ(ring.statistics().slab_bytes, SlotMemory::slab_from);
}

TEST_F(SlotMemoryFault, WhatNeitherWayGivesIsRefusedWithTheDriversCause) {
  faults::limit_pinned_bytes(before.pinned_bytes + SlotMemory::slab_from - 1);
  const auto error = error_of([&] { return make(slots, large); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->errc(), Errc::out_of_pinned_memory);
  EXPECT_NE(error->native_code(), 0);
  EXPECT_EQ(faults::resources().events, before.events);
  EXPECT_EQ(faults::resources().pinned_bytes, before.pinned_bytes);
}

TEST_F(SlotMemoryFault, ADeviceLostWhileRegisteringIsSaid) {
  faults::fail_call(DriverCall::pinned_register, 1, faults::Failure::sticky);
  EXPECT_EQ(errc_of([&] { return make(slots, large); }), Errc::device_lost);
}

TEST_F(SlotMemoryFault, EveryCallOfTheConstructorMayFailAndNothingIsLeft) {
  const std::uint64_t start = faults::calls();
  std::uint64_t calls = 0;
  {
    const ReadbackRing ring = make(slots, large);
    calls = faults::calls() - start;
  }
  std::uint64_t failures = 0;
  for (std::uint64_t k = 1; k <= calls; ++k) {
    SCOPED_TRACE("call " + std::to_string(k));
    faults::fail_any_call(k);
    if (error_of([&] { const ReadbackRing ring = make(slots, large); })) ++failures;
    faults::clear_failures();
    const auto after = faults::resources();
    EXPECT_EQ(after.pinned_bytes, before.pinned_bytes);
    EXPECT_EQ(after.pinned_allocations, before.pinned_allocations);
    EXPECT_EQ(after.streams, before.streams);
    EXPECT_EQ(after.events, before.events);
    EXPECT_EQ(last_error(), 0);
  }
  EXPECT_GT(failures, 3U);
}

TEST_F(SlotMemoryFault, ASlabThatCannotBeUnregisteredIsKeptAndCounted) {
  tailrace::RingSet set{tailrace::Device{0}, {.slots_per_ring = slots, .pinned_budget = 5 * SlotMemory::slab_from}};
  const std::byte* data = nullptr;
  {
    const auto ring = set.ring_for(large);
    data = first_slot(*ring);
    EXPECT_EQ(set.pinned_bytes(), SlotMemory::slab_from);
  }
  faults::fail_call(DriverCall::pinned_unregister, 1);
  // Needs the room of the idle ring, gives it up, and does not get it.
  std::vector<std::shared_ptr<ReadbackRing>> others;
  for (std::size_t i = 1; i <= 4; ++i) others.push_back(set.ring_for(large + i * 4096));
  EXPECT_EQ(set.existing_ring_for(large), nullptr);
  EXPECT_EQ(pages_of(data, SlotMemory::slab_from), Pages::all_touched);
  std::size_t held = SlotMemory::slab_from;
  for (const auto& ring : others) held += ring->pinned_bytes();
  EXPECT_EQ(set.pinned_bytes(), held);
  EXPECT_EQ(faults::resources().pinned_bytes, before.pinned_bytes + held);
}

TEST_F(SlotMemoryFault, ASlabOfALostDeviceStaysMapped) {
  const std::byte* data = nullptr;
  {
    ReadbackRing ring = make(slots, large);
    data = first_slot(ring);
    faults::lose_device(0);
  }
  EXPECT_EQ(pages_of(data, SlotMemory::slab_from), Pages::all_touched);
}

TEST_F(SlotMemoryFault, ARegistrationThatBlocksStopsNoOtherThread) {
  tailrace::RingSet set{tailrace::Device{0}, {.slots_per_ring = slots, .pinned_budget = 8 * SlotMemory::slab_from}};
  stamp(buffer, 0, 1, 5, stream);
  const Ticket early = set.submit(view(), stream);
  faults::PinnedAllocationHold hold;
  std::jthread making{[&] { EXPECT_EQ(set.ring_for(large)->statistics().slab_bytes, SlotMemory::slab_from); }};
  hold.wait_until_blocked();
  EXPECT_EQ(set.collect(early).size(), word);
  EXPECT_EQ(set.collect(set.submit(view(), stream)).size(), word);
  EXPECT_EQ(set.existing_ring_for(large), nullptr);
  hold.release();
}

}  // namespace
