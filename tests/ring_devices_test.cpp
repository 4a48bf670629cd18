// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Rings beside a second device. On a machine that has one GPU these tests are not run; the host backend has two.

#include "tests/support/one_block.hpp"
#include "tests/support/ring.hpp"

#include <cstdlib>
#include <memory>

namespace {

using namespace test;
using tailrace::Device;
using RingDevices = RingTest;

TEST_F(RingDevices, RefusesAnotherDevicesSourceAndStreams) {
  ReadbackRing ring = make(2);
  use_device(1);
  {
    Buffer foreign_buffer{word};
    Stream foreign;
    EXPECT_EQ(errc_of([&] { return ring.submit({foreign_buffer.data(), word}, stream); }), Errc::wrong_device);
    EXPECT_EQ(errc_of([&] { return ring.submit(view(), foreign); }), Errc::wrong_device);
    EXPECT_EQ(errc_of([&] { return ring.record(view(), foreign); }), Errc::wrong_device);
    RingOptions made = options(2);
    made.copy_stream = foreign;
    EXPECT_EQ(errc_of([&] { ReadbackRing{Device{0}, made}; }), Errc::wrong_device);
    EXPECT_EQ(current_device(), 1);
    EXPECT_EQ(last_error(), 0);
  }
  use_device(0);
  EXPECT_EQ(submit(ring, 1).sequence(), 0U);
}

TEST_F(RingDevices, LeavesTheCurrentDeviceAsItWas) {
  use_device(1);
  const std::uint64_t made_up = 0;
  {
    ReadbackRing ring = make(8);
    EXPECT_EQ(current_device(), 1);
    const Ticket first = ring.submit(view(), stream);
    ring.guard_source(first, stream);
    EXPECT_EQ(ring.collect(first).size(), word);
    const Ticket recorded = ring.record(view(), stream);
    ring.arm(recorded, stream);
    EXPECT_EQ(ring.wait(recorded), SlotState::ready);
    ring.discard(recorded);
    ring.poll();
    EXPECT_EQ(errc_of([&] { return ring.submit({&made_up, word}, stream); }), Errc::wrong_memory);
    EXPECT_EQ(current_device(), 1);
  }
  EXPECT_EQ(current_device(), 1);
  use_device(0);
}

TEST_F(RingDevices, GivesAPinnedSourceItsMemoryBackOnTheRingsDeviceAlsoIfItFails) {
  void* const block = std::aligned_alloc(4096, 8192);
  const auto source = std::make_shared<OneBlock>(block);
  RingOptions made = options(2);
  made.pinned_source = source;
  EXPECT_EQ(errc_of([&] { ReadbackRing{Device{1}, made}; }), Errc::wrong_memory);
  EXPECT_EQ(source->device, 1);
  EXPECT_EQ(source->returned, 1);
  EXPECT_EQ(current_device(), 0);
  std::free(block);
}

}  // namespace
