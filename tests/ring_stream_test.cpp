// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Every kind of producer stream. On the vendors' backends this is built for both kinds of default stream.

#include "tests/support/ring.hpp"

#include <type_traits>

namespace {

using namespace test;

using RingStream = RingTest;

static_assert(!std::is_constructible_v<StreamRef, int>, "StreamRef{0} must not compile");
static_assert(!std::is_constructible_v<StreamRef, std::nullptr_t>, "StreamRef{nullptr} must not compile");
static_assert(!std::is_default_constructible_v<StreamRef>);
static_assert(!std::is_constructible_v<StreamRef, void*>, "a stream has a type");
static_assert(std::is_convertible_v<tailrace::native_stream, StreamRef>);

class RingProducer : public RingTest {
 protected:
  /// A hundred times: a slow kernel, and behind it the submission.
  void expect_order_after(StreamRef producer) {
    ReadbackRing ring = make(4);
    for (std::uint64_t round = 1; round <= 100; ++round) {
      stamp_slow(buffer, 0, 64, round, producer);
      const Ticket ticket = ring.submit(view(64), producer);
      ring.visit<std::uint64_t>(ticket, [&](std::span<const std::uint64_t> words) {
        for (const std::uint64_t value : words) ASSERT_EQ(value, round);
      });
    }
  }
  void expect_record_on(StreamRef producer) {
    ReadbackRing ring = make(4);
    for (std::uint64_t round = 1; round <= 20; ++round) {
      stamp_slow(buffer, 0, 1, round, producer);
      const Ticket ticket = ring.record(view(), producer);
      ring.arm(ticket, producer);
      ASSERT_EQ(value_of(ring, ticket), round);
    }
  }
};

TEST_F(RingProducer, MayBeTheLegacyDefaultStream) { expect_order_after(StreamRef::legacy()); }
TEST_F(RingProducer, MayBeThePerThreadDefaultStream) { expect_order_after(StreamRef::per_thread()); }
TEST_F(RingProducer, MayBeABlockingStream) { expect_order_after(Stream{Stream::blocking}); }
TEST_F(RingProducer, MayBeANonBlockingStream) { expect_order_after(stream); }

TEST_F(RingProducer, MayBeRecordedOnWhateverItIs) {
  expect_record_on(StreamRef::legacy());
  expect_record_on(StreamRef::per_thread());
  expect_record_on(Stream{Stream::blocking});
  expect_record_on(stream);
}

TEST_F(RingProducer, OnTheLegacyStreamIsOrderedAfterBlockingStreams) {
  ReadbackRing ring = make(2);
  Stream blocking{Stream::blocking};
  for (std::uint64_t round = 1; round <= 20; ++round) {
    stamp_slow(buffer, 0, 1, round, blocking);
    ASSERT_EQ(value_of(ring, ring.submit(view(), StreamRef::legacy())), round);
  }
}

TEST_F(RingProducer, OfOneThreadIsNotThatOfAnother) {
  ReadbackRing ring = make(2);
  ReadbackRing others = make(2);
  Hold hold{StreamRef::per_thread()};
  const Ticket mine = ring.submit(view(), StreamRef::per_thread());
  EXPECT_EQ(ring.state(mine), SlotState::pending);
  std::jthread{[&] {
    EXPECT_EQ(others.collect(others.submit({buffer.data(), word, word}, StreamRef::per_thread())).size(), word);
  }}.join();
  EXPECT_EQ(ring.state(mine), SlotState::pending);
  hold.release();
  EXPECT_EQ(ring.wait(mine), SlotState::ready);
}

TEST_F(RingStream, OfANullHandleIsRefusedByName) {
  const auto error = error_of([] { StreamRef{tailrace::native_stream{}}; });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->errc(), Errc::null_stream);
  EXPECT_NE(std::string{error->what()}.find("legacy"), std::string::npos);
  EXPECT_NE(std::string{error->what()}.find("per_thread"), std::string::npos);
}

TEST_F(RingStream, OfTheDefaultsAreTold) {
  EXPECT_NE(StreamRef::legacy(), StreamRef::per_thread());
  EXPECT_NE(StreamRef{stream}, StreamRef::legacy());
  EXPECT_EQ(StreamRef{stream}, StreamRef{stream});
}

}  // namespace
