// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// When the source may be used again: guard_source() orders later work behind the read.

#include "tests/support/ring.hpp"

namespace {

using namespace test;

using RingSource = RingTest;

TEST_F(RingSource, MayBeOverwrittenBehindTheGuard) {
  ReadbackRing ring = make(4);
  for (std::uint64_t round = 1; round <= 1000; ++round) {
    stamp(buffer, 0, 512, round, stream);
    const Ticket ticket = ring.submit(view(512), stream);
    ring.guard_source(ticket, stream);
    stamp(buffer, 0, 512, ~round, stream);
    ring.visit<std::uint64_t>(ticket, [&](std::span<const std::uint64_t> words) {
      for (const std::uint64_t value : words) ASSERT_EQ(value, round);
    });
  }
}

TEST_F(RingSource, IsGuardedWhileTheCopyIsHeldBack) {
  // The copy stream is held, the guarded stream is not: without the guard the overwriting kernel would be first.
  Stream copies;
  RingOptions made = options(4);
  made.copy_stream = copies;
  ReadbackRing ring{tailrace::Device{0}, made};
  Stream writer;
  Hold hold{copies};
  const Ticket first = submit(ring, 1);
  const Ticket second = ring.submit({buffer.data(), word, word}, stream);
  ring.guard_source(first, writer);
  stamp(buffer, 0, 1, 2, writer);
  // Nothing is to happen in this time; if the guard did nothing, the kernel would run in it.
  EXPECT_EQ(ring.wait_for(second, std::chrono::milliseconds{20}), SlotState::pending);
  hold.release();
  EXPECT_EQ(value_of(ring, first), 1U);
  writer.synchronize();
  EXPECT_EQ(value_of(ring, ring.submit(view(), writer)), 2U);
}

TEST_F(RingSource, DoesNotBlockTheCaller) {
  ReadbackRing ring = make(2);
  Stream writer;
  Hold hold{stream};
  const Ticket ticket = submit(ring, 1);
  ring.guard_source(ticket, writer);
  EXPECT_EQ(ring.state(ticket), SlotState::pending);
}

TEST_F(RingSource, OfARecordedCopyIsGuardedToo) {
  ReadbackRing ring = make(2);
  Stream writer;
  Hold hold{stream};
  stamp(buffer, 0, 1, 1, stream);
  const Ticket ticket = ring.record(view(), stream);
  ring.arm(ticket, stream);
  ring.guard_source(ticket, writer);
  stamp(buffer, 0, 1, 2, writer);
  EXPECT_EQ(ring.wait_for(ticket, std::chrono::milliseconds{20}), SlotState::pending);
  hold.release();
  EXPECT_EQ(value_of(ring, ticket), 1U);
  writer.synchronize();
}

TEST_F(RingSource, NeedsNoGuardOnceItIsRead) {
  ReadbackRing ring = make(2);
  const Ticket ticket = submit(ring, 1);
  ring.wait(ticket);
  const auto before = ring.statistics().calls[tailrace::DriverCall::stream_wait];
  ring.guard_source(ticket, stream);
  EXPECT_EQ(ring.statistics().calls[tailrace::DriverCall::stream_wait], before);
  EXPECT_EQ(value_of(ring, ticket), 1U);
}

TEST_F(RingSource, MayBeFreedInStreamOrderBehindTheGuard) {
  ReadbackRing ring = make(4);
  for (std::uint64_t round = 1; round <= 1000; ++round) {
    Buffer temporary = Buffer::stream_ordered(4096, stream);
    stamp(temporary, 0, 512, round, stream);
    const Ticket ticket = ring.submit({temporary.data(), 4096}, stream);
    ring.guard_source(ticket, stream);
    free_async(std::move(temporary), stream);
    Buffer next = Buffer::stream_ordered(4096, stream);
    stamp(next, 0, 512, ~round, stream);
    free_async(std::move(next), stream);
    ring.visit<std::uint64_t>(ticket, [&](std::span<const std::uint64_t> words) {
      for (const std::uint64_t value : words) ASSERT_EQ(value, round);
    });
  }
  stream.synchronize();
}

}  // namespace
