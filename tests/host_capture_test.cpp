// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/support/host_backend.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace {

using namespace test::host_backend;

using HostCapture = HostBackend;

bool capturing(native_stream stream) {
  bool answer = false;
  EXPECT_TRUE(backend::stream_capturing(stream, answer).ok());
  return answer;
}

TEST_F(HostCapture, IsSeenOnTheStreamAndOnLegacyIfItBlocks) {
  const Stream blocking{host::StreamKind::blocking};
  const Stream other;
  host::begin_capture(other, host::CaptureMode::relaxed);
  EXPECT_TRUE(capturing(other));
  EXPECT_FALSE(capturing(backend::legacy_stream));
  EXPECT_TRUE(host::end_capture(other));
  host::begin_capture(blocking, host::CaptureMode::relaxed);
  EXPECT_TRUE(capturing(backend::legacy_stream));
  EXPECT_FALSE(capturing(other));
  EXPECT_TRUE(host::end_capture(blocking));
  EXPECT_FALSE(capturing(blocking));
  EXPECT_FALSE(capturing(backend::legacy_stream));
}

TEST_F(HostCapture, DropsWorkAndMakesEventsUnanswerable) {
  const Stream stream;
  const Event event;
  bool ran = false;
  host::begin_capture(stream, host::CaptureMode::relaxed);
  host::launch(stream, [&ran] { ran = true; });
  ASSERT_EQ(record(event, stream), Outcome::success);
  EXPECT_EQ(event.query(), Outcome::capturing);
  EXPECT_TRUE(host::end_capture(stream));
  host::synchronize(stream);
  EXPECT_FALSE(ran);
}

TEST_F(HostCapture, InGlobalModeForbidsUnsafeCallsOnOtherThreads) {
  const Stream stream;
  const Event event;
  host::begin_capture(stream, host::CaptureMode::global);
  std::thread{[&event] { EXPECT_EQ(event.query(), Outcome::capturing); }}.join();
  EXPECT_FALSE(host::end_capture(stream));
  EXPECT_EQ(event.query(), Outcome::success);
}

TEST_F(HostCapture, IsUnharmedByCallsInRelaxedMode) {
  const Stream stream;
  const Event event;
  host::begin_capture(stream, host::CaptureMode::global);
  std::thread{[&event] {
    backend::CaptureMode mode = backend::relaxed_capture;
    ASSERT_TRUE(backend::exchange_capture_mode(mode).ok());
    EXPECT_EQ(event.query(), Outcome::success);
    void* memory = nullptr;
    EXPECT_TRUE(backend::pinned_allocate(1, memory).ok());
    EXPECT_TRUE(backend::pinned_free(memory).ok());
    ASSERT_TRUE(backend::exchange_capture_mode(mode).ok());
    EXPECT_EQ(mode, backend::relaxed_capture);
  }}.join();
  EXPECT_TRUE(host::end_capture(stream));
}

TEST_F(HostCapture, InPerThreadModeForbidsUnsafeCallsOnItsThreadOnly) {
  const Stream stream;
  const Event event;
  host::begin_capture(stream, host::CaptureMode::per_thread);
  std::thread{[&event] { EXPECT_EQ(event.query(), Outcome::success); }}.join();
  EXPECT_TRUE(host::end_capture(stream));
  host::begin_capture(stream, host::CaptureMode::per_thread);
  void* memory = nullptr;
  EXPECT_EQ(outcome(backend::pinned_allocate(1, memory)), Outcome::capturing);
  EXPECT_FALSE(host::end_capture(stream));
}

TEST_F(HostCapture, OfABlockingStreamIsHarmedByUseOfLegacy) {
  const Stream blocking{host::StreamKind::blocking};
  host::begin_capture(blocking, host::CaptureMode::relaxed);
  EXPECT_EQ(errc_of([] { host::launch(StreamRef::legacy(), [] {}); }), Errc::stream_capturing);
  EXPECT_FALSE(host::end_capture(blocking));
}

TEST_F(HostCapture, IsHarmedBySynchronisingItsStream) {
  const Stream stream;
  host::begin_capture(stream, host::CaptureMode::relaxed);
  EXPECT_EQ(outcome(backend::stream_synchronize(stream)), Outcome::capturing);
  EXPECT_FALSE(host::end_capture(stream));
}

}  // namespace
