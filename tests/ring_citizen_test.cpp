// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// What a ring leaves alone: the last error, the current device, the caller's memory; and what it does not do on the
// way.

#include "tests/support/ring.hpp"

#include <cstdlib>

namespace {

using namespace test;
using tailrace::DriverCall;

class RingCitizen : public RingTest {
 protected:
  /// Everything that succeeds or is pending.
  void use(ReadbackRing& ring) {
    Hold hold{stream};
    const Ticket held = submit(ring, 1);
    EXPECT_EQ(ring.state(held), SlotState::pending);
    EXPECT_EQ(ring.wait_for(held, std::chrono::milliseconds{2}), SlotState::pending);
    ring.guard_source(held, stream);
    hold.release();
    EXPECT_EQ(value_of(ring, held), 1U);
    const Ticket recorded = ring.record(view(), stream);
    ring.arm(recorded, stream);
    EXPECT_EQ(ring.collect(recorded).size(), word);
    ring.discard(submit(ring, 2));
    ring.poll();
  }
};

TEST_F(RingCitizen, LeavesNoLastErrorBehind) {
  ReadbackRing ring = make(8);
  use(ring);
  EXPECT_EQ(peek_error(), 0);
  EXPECT_EQ(last_error(), 0);
}

TEST_F(RingCitizen, LeavesNoLastErrorBehindWhileACopyIsPending) {
  // Looked at before any call that succeeds: such a call would reset it in HIP before 7.
  ReadbackRing ring = make(2);
  Hold hold{stream};
  const Ticket held = submit(ring, 1);
  EXPECT_EQ(ring.wait_for(held, std::chrono::milliseconds{2}), SlotState::pending);
  EXPECT_EQ(peek_error(), 0);
  ring.poll();
  EXPECT_EQ(peek_error(), 0);
}

TEST_F(RingCitizen, NeitherEatsNorSuffersFromAnErrorThatTheApplicationLeft) {
  ReadbackRing ring = make(8);
  const int code = own_failing_call();
  ASSERT_NE(code, 0);
  use(ring);
  // HIP before 7 resets the last error at every call that succeeds.
  const int left = last_error();
  EXPECT_TRUE(left == code || (tailrace::backend_name() == "hip" && left == 0)) << left;
}

TEST_F(RingCitizen, AllocatesAndCreatesNothingOnceItIsWarm) {
  ReadbackRing ring = make(8, 65536);
  value_of(ring, submit(ring, 1));
  const Ticket recorded = ring.record(view(), stream);
  ring.arm(recorded, stream);
  std::vector<std::byte> bytes(65536);
  ring.collect(recorded, bytes);
  const auto before = ring.statistics().calls;
  for (std::size_t round = 0; round < 10'000; ++round) {
    const std::size_t size = 1 + round * 7919 % (round % 16 == 0 ? 65536 : 512);
    ring.collect(ring.submit({buffer.data(), round % 64, size}, stream), bytes);
    ASSERT_EQ(bytes.size(), size);
  }
  const auto after = ring.statistics().calls;
  for (const DriverCall call :
       {DriverCall::pinned_allocate, DriverCall::pinned_free, DriverCall::pinned_register, DriverCall::event_create,
        DriverCall::event_destroy, DriverCall::stream_create, DriverCall::stream_destroy, DriverCall::device_allocate,
        DriverCall::stream_synchronize}) {
    EXPECT_EQ(after[call], before[call]) << to_string(call);
  }
}

TEST_F(RingCitizen, NeverRegistersTheCallersMemory) {
  ReadbackRing ring = make(2);
  const std::size_t size = 8192;
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(4096, size));
  const auto collect = [&] { return ring.collect(submit(ring, 5), std::span{memory, size}); };
  EXPECT_EQ(collect(), word);
  // Whole and in part, before and beside the ring: no difference.
  register_pinned(memory, size);
  EXPECT_EQ(collect(), word);
  unregister_pinned(memory);
  register_pinned(memory, 4096);
  EXPECT_EQ(collect(), word);
  unregister_pinned(memory);
  EXPECT_EQ(last_error(), 0);
  std::free(memory);
}

}  // namespace
