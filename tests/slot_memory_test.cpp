// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Where a ring's slots are, on every backend. What fails about it is in slot_memory_fault_test.cpp.
#include "src/slot_memory.hpp"

#include <tailrace/runtime.hpp>

#include "tests/support/mapping.hpp"
#include "tests/support/ring.hpp"

#include <array>

namespace {

using namespace test;
using tailrace::DriverCall;
using tailrace::Statistics;
using tailrace::detail::SlotMemory;

constexpr std::size_t slots = 16;
constexpr std::size_t large = SlotMemory::slab_from / slots;

class SlotMemoryTest : public RingTest {
 protected:
  /// Of a ring that nothing was submitted to yet: where its memory begins.
  const std::byte* first_slot(ReadbackRing& ring) {
    return ring.visit(ring.submit(view(), stream), [](std::span<const std::byte> bytes) { return bytes.data(); });
  }
};

TEST_F(SlotMemoryTest, OfALargeRingIsASlabWhereTheVendorCanRegisterOne) {
  const ReadbackRing ring = make(slots, large);
  const Statistics s = ring.statistics();
  const bool slab = tailrace::backend::registers_coherently;
  EXPECT_EQ(s.pinned_bytes, SlotMemory::slab_from);
  EXPECT_EQ(s.slab_bytes, slab ? SlotMemory::slab_from : 0U);
  EXPECT_EQ(s.calls[DriverCall::pinned_register], slab ? 1U : 0U);
  EXPECT_EQ(s.calls[DriverCall::pinned_allocate], slab ? 0U : 1U);
}

TEST_F(SlotMemoryTest, OfASmallRingIsTheVendorsAllocation) {
  const ReadbackRing ring = make(slots, large - SlotMemory::alignment);
  const Statistics s = ring.statistics();
  EXPECT_EQ(s.slab_bytes, 0U);
  EXPECT_EQ(s.calls[DriverCall::pinned_allocate], 1U);
  EXPECT_EQ(s.calls[DriverCall::pinned_register], 0U);
}

TEST_F(SlotMemoryTest, OfALargeRingTakesEveryResult) {
  ReadbackRing ring = make(slots, large);
  std::array<Ticket, slots> tickets;
  for (std::uint64_t i = 0; i < slots; ++i) tickets[i] = submit(ring, 100 + i);
  for (std::uint64_t i = 0; i < slots; ++i) EXPECT_EQ(value_of(ring, tickets[i]), 100 + i);
}

TEST_F(SlotMemoryTest, OfALargeRingIsPinnedAsAWholeSoThatAReadIntoItIsDirect) {
  ReadbackRing ring = make(slots, large);
  stamp(buffer, 0, buffer.size() / word, 42, stream);
  tailrace::Runtime runtime{tailrace::Device{0}};
  ring.visit(ring.submit(view(), stream), [&](std::span<const std::byte> bytes) {
    auto* const memory = const_cast<std::byte*>(bytes.data());
    EXPECT_TRUE(tailrace::backend::pinned_as_a_whole(memory, ring.pinned_bytes()));
    runtime.read(std::span{memory, large}, tailrace::DeviceView{buffer.data(), large}, stream);
    EXPECT_EQ(runtime.statistics().direct_reads, 1U);
    EXPECT_EQ(memory[large - word], std::byte{42});
  });
}

TEST_F(SlotMemoryTest, OfALargeRingIsUnmappedWithIt) {
  const std::byte* data = nullptr;
  {
    ReadbackRing ring = make(slots, large);
    if (ring.statistics().slab_bytes == 0) GTEST_SKIP() << "the vendor cannot register a slab";
    data = first_slot(ring);
    EXPECT_NE(pages_of(data, SlotMemory::slab_from), Pages::unmapped);
  }
  EXPECT_EQ(pages_of(data, SlotMemory::slab_from), Pages::unmapped);
}

TEST_F(SlotMemoryTest, OfMoreThanThereIsIsRefusedBeforeItIsTouched) {
  const auto error = error_of([&] { return make(2, std::size_t{1} << 44); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->errc(), Errc::out_of_pinned_memory);
  const std::string text = error->what();
  EXPECT_NE(text.find("35184372088832 bytes of pinned host memory"), std::string::npos) << text;
  EXPECT_NE(text.find("ring 'residual'"), std::string::npos) << text;
  EXPECT_EQ(last_error(), 0);
  if (!tailrace::backend::registers_coherently) return;
  EXPECT_NE(text.find("bytes of memory are left"), std::string::npos) << text;
  EXPECT_EQ(error->native_code(), 0);
}

TEST_F(SlotMemoryTest, OfARingSetIsSummedUp) {
  tailrace::RingSet set{tailrace::Device{0}, {.slots_per_ring = slots, .pinned_budget = 8 * SlotMemory::slab_from}};
  const auto first = set.ring_for(large);
  const auto second = set.ring_for(large + 1);
  static_cast<void>(set.ring_for(8));
  EXPECT_EQ(set.statistics().slab_bytes, first->statistics().slab_bytes + second->statistics().slab_bytes);
  EXPECT_EQ(set.statistics().slab_bytes != 0, tailrace::backend::registers_coherently);
}

}  // namespace
