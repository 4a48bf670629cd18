// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Graph capture: what would go into a graph is refused, and what runs beside a capture leaves it unharmed.

#include "tests/support/ring.hpp"

namespace {

using namespace test;

class RingCapture : public RingTest {
 protected:
  void expect_refused(ReadbackRing& ring, StreamRef producer) {
    EXPECT_EQ(errc_of([&] { return ring.submit(view(), producer); }), Errc::stream_capturing);
    EXPECT_EQ(errc_of([&] { return ring.try_submit(view(), producer); }), Errc::stream_capturing);
    EXPECT_EQ(errc_of([&] { return ring.submit_for(view(), producer, hang_guard); }), Errc::stream_capturing);
    EXPECT_EQ(errc_of([&] { return ring.record(view(), producer); }), Errc::stream_capturing);
  }
};

TEST_F(RingCapture, OfTheProducerIsRefusedAndUnharmed) {
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::per_thread, CaptureMode::relaxed}) {
    ReadbackRing ring = make(4);
    Stream other;
    const Ticket pending = ring.submit(view(), other);
    begin_capture(stream, mode);
    expect_refused(ring, stream);
    EXPECT_EQ(errc_of([&] { ring.guard_source(pending, stream); }).value_or(Errc::stream_capturing),
              Errc::stream_capturing);
    EXPECT_TRUE(end_capture(stream));
    EXPECT_EQ(last_error(), 0);
    EXPECT_EQ(ring.collect(pending).size(), word);
    EXPECT_EQ(submit(ring, 1).sequence(), 1U);
  }
}

TEST_F(RingCapture, OfABlockingStreamRefusesTheLegacyStream) {
  ReadbackRing ring = make(2);
  Stream blocking{Stream::blocking};
  begin_capture(blocking, CaptureMode::global);
  expect_refused(ring, StreamRef::legacy());
  EXPECT_TRUE(end_capture(blocking));
  EXPECT_EQ(last_error(), 0);
  EXPECT_EQ(ring.submit(view(), StreamRef::legacy()).sequence(), 0U);
}

TEST_F(RingCapture, OfARecordedStreamRefusesToArm) {
  ReadbackRing ring = make(2);
  const Ticket ticket = ring.record(view(), stream);
  begin_capture(stream, CaptureMode::global);
  EXPECT_EQ(errc_of([&] { ring.arm(ticket, stream); }), Errc::stream_capturing);
  EXPECT_TRUE(end_capture(stream));
  ring.arm(ticket, stream);
  EXPECT_EQ(ring.collect(ticket).size(), word);
}

TEST_F(RingCapture, OfTheCallersCopyStreamIsRefused) {
  Stream copies;
  RingOptions made = options(2);
  made.copy_stream = copies;
  ReadbackRing ring{tailrace::Device{0}, made};
  begin_capture(copies, CaptureMode::global);
  expect_refused(ring, stream);
  EXPECT_TRUE(end_capture(copies));
  EXPECT_EQ(submit(ring, 1).sequence(), 0U);
  begin_capture(copies, CaptureMode::global);
  EXPECT_EQ(errc_of([&] { ReadbackRing{tailrace::Device{0}, made}; }), Errc::stream_capturing);
  EXPECT_TRUE(end_capture(copies));
}

TEST_F(RingCapture, OnAnotherThreadIsUnharmedByEverythingThatARingDoes) {
  Stream captured;
  ReadbackRing ring = make(4);
  begin_capture(captured, CaptureMode::global);
  std::jthread{[&] {
    use_device(0);
    for (std::uint64_t i = 0; i < 100; ++i) {
      const Ticket ticket = ring.submit(view(), stream);
      ring.guard_source(ticket, stream);
      ring.poll();
      static_cast<void>(ring.state(ticket));
      EXPECT_EQ(ring.collect(ticket).size(), word);
      const Ticket recorded = ring.record(view(), stream);
      ring.arm(recorded, stream);
      EXPECT_EQ(ring.collect(recorded).size(), word);
    }
    ReadbackRing made_meanwhile = make(2);
    EXPECT_EQ(made_meanwhile.collect(made_meanwhile.submit(view(), stream)).size(), word);
  }}.join();
  EXPECT_TRUE(end_capture(captured));
}

TEST_F(RingCapture, OnTheSameThreadIsUnharmedByPolling) {
  Stream captured;
  ReadbackRing ring = make(4);
  const Ticket ticket = submit(ring, 1);
  begin_capture(captured, CaptureMode::per_thread);
  EXPECT_EQ(value_of(ring, ticket), 1U);
  EXPECT_TRUE(end_capture(captured));
}

}  // namespace
