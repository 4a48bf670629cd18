// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/support/host_backend.hpp"

#include <gtest/gtest.h>

#include <future>
#include <numeric>
#include <thread>
#include <vector>

namespace {

using namespace test::host_backend;

using HostStreams = HostBackend;
using HostEvents = HostBackend;

TEST_F(HostStreams, RunTheirWorkInOrder) {
  const Stream stream;
  std::vector<int> seen;
  for (int i = 0; i < 1000; ++i) host::launch(stream, [&seen, i] { seen.push_back(i); });
  host::synchronize(stream);
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(seen, expected);
}

TEST_F(HostStreams, RunBesideEachOther) {
  const Stream one;
  const Stream other;
  std::promise<void> met;
  host::launch(one, [&met] { met.get_future().wait(); });
  host::launch(other, [&met] { met.set_value(); });
  host::synchronize(one);
}

TEST_F(HostStreams, AreHeldUntilTheHoldIsReleased) {
  const Stream stream;
  const Event before;
  const Event after;
  ASSERT_EQ(record(before, stream), Outcome::success);
  StreamHold hold{stream};
  ASSERT_EQ(record(after, stream), Outcome::success);
  EXPECT_EQ(before.query(), Outcome::success);
  EXPECT_EQ(after.query(), Outcome::not_ready);
  hold.release();
  host::synchronize(stream);
  EXPECT_EQ(after.query(), Outcome::success);
}

TEST_F(HostStreams, FinishTheirWorkAfterTheyWereDestroyed) {
  native_stream stream = host::create_stream();
  const Event event;
  std::promise<void> go;
  std::promise<void> done;
  host::launch(stream, [&go] { go.get_future().wait(); });
  host::launch(stream, [&done] { done.set_value(); });
  ASSERT_TRUE(backend::stream_destroy(stream).ok());
  EXPECT_EQ(outcome(backend::stream_synchronize(stream)), Outcome::bad_handle);
  go.set_value();
  done.get_future().wait();
}

TEST_F(HostStreams, ThatBlockAreWaitedForByTheLegacyStream) {
  const Stream blocking{host::StreamKind::blocking};
  const Event event;
  StreamHold hold{blocking};
  ASSERT_EQ(record(event, backend::legacy_stream), Outcome::success);
  EXPECT_EQ(event.query(), Outcome::not_ready);
  hold.release();
  host::synchronize(StreamRef::legacy());
  EXPECT_EQ(event.query(), Outcome::success);
}

TEST_F(HostStreams, ThatBlockWaitForTheLegacyStream) {
  const Stream blocking{host::StreamKind::blocking};
  const Event of_blocking;
  const Event of_per_thread;
  StreamHold hold{StreamRef::legacy()};
  ASSERT_EQ(record(of_blocking, blocking), Outcome::success);
  ASSERT_EQ(record(of_per_thread, backend::per_thread_stream), Outcome::success);
  EXPECT_EQ(of_blocking.query(), Outcome::not_ready);
  EXPECT_EQ(of_per_thread.query(), Outcome::not_ready);
  hold.release();
  host::synchronize(blocking);
  host::synchronize(StreamRef::per_thread());
  EXPECT_EQ(of_blocking.query(), Outcome::success);
  EXPECT_EQ(of_per_thread.query(), Outcome::success);
}

TEST_F(HostStreams, ThatDoNotBlockAreIndependentOfTheLegacyStream) {
  const Stream stream;
  const Event event;
  const StreamHold hold{StreamRef::legacy()};
  ASSERT_EQ(record(event, stream), Outcome::success);
  EXPECT_EQ(event.query(), Outcome::success);
}

TEST_F(HostStreams, OfOneDeviceAreIndependentOfTheOthersLegacyStream) {
  const StreamHold hold{StreamRef::legacy()};
  host::set_device(1);
  const Event event;
  ASSERT_EQ(record(event, backend::legacy_stream), Outcome::success);
  EXPECT_EQ(event.query(), Outcome::success);
}

TEST_F(HostStreams, DifferPerThreadForThePerThreadHandle) {
  const StreamHold hold{StreamRef::per_thread()};
  const Event event;
  std::thread{[&event] {
    EXPECT_EQ(record(event, backend::per_thread_stream), Outcome::success);
    EXPECT_TRUE(backend::stream_synchronize(backend::per_thread_stream).ok());
  }}.join();
  EXPECT_EQ(event.query(), Outcome::success);
}

TEST_F(HostEvents, ThatWereNeverRecordedAreDone) {
  const Event event;
  EXPECT_EQ(event.query(), Outcome::success);
}

TEST_F(HostEvents, StandForTheirLastRecord) {
  const Stream held;
  const Stream idle;
  const Event event;
  const StreamHold hold{held};
  ASSERT_EQ(record(event, held), Outcome::success);
  EXPECT_EQ(event.query(), Outcome::not_ready);
  ASSERT_EQ(record(event, idle), Outcome::success);
  EXPECT_EQ(event.query(), Outcome::success);
}

TEST_F(HostEvents, AreWaitedForAsTheyAreWhenTheWaitIsEnqueued) {
  const Stream held;
  const Stream waiting;
  const Event event;
  const Event result;
  ASSERT_TRUE(backend::stream_wait(waiting, event).ok());  // never recorded: nothing to wait for
  const StreamHold hold{held};
  ASSERT_EQ(record(event, held), Outcome::success);
  ASSERT_EQ(record(result, waiting), Outcome::success);
  EXPECT_EQ(result.query(), Outcome::success);
}

TEST_F(HostEvents, KeepAWaitingStreamBackEvenIfRecordedAgain) {
  const Stream held;
  const Stream idle;
  const Stream waiting;
  const Event event;
  const Event result;
  StreamHold hold{held};
  ASSERT_EQ(record(event, held), Outcome::success);
  ASSERT_TRUE(backend::stream_wait(waiting, event).ok());
  ASSERT_EQ(record(event, idle), Outcome::success);
  ASSERT_EQ(record(result, waiting), Outcome::success);
  EXPECT_EQ(result.query(), Outcome::not_ready);
  hold.release();
  host::synchronize(waiting);
  EXPECT_EQ(result.query(), Outcome::success);
}

TEST_F(HostEvents, OrderStreamsOfDifferentDevices) {
  const Stream here;
  const Event event;
  int value = 0;
  int seen = 0;
  StreamHold hold{here};
  host::launch(here, [&value] { value = 42; });
  ASSERT_EQ(record(event, here), Outcome::success);
  host::set_device(1);
  const Stream there;
  ASSERT_TRUE(backend::stream_wait(there, event).ok());
  host::launch(there, [&] { seen = value; });
  hold.release();
  host::synchronize(there);
  EXPECT_EQ(seen, 42);
}

TEST_F(HostEvents, CannotBeRecordedOnAStreamOfAnotherDevice) {
  const Event event;
  host::set_device(1);
  const Stream stream;
  EXPECT_EQ(record(event, stream), Outcome::bad_handle);
  EXPECT_EQ(record(event, backend::legacy_stream), Outcome::bad_handle);
}

TEST_F(HostEvents, ThatAreGoneAreRefused) {
  native_event event = nullptr;
  ASSERT_TRUE(backend::event_create(event).ok());
  ASSERT_TRUE(backend::event_destroy(event).ok());
  EXPECT_EQ(outcome(backend::event_query(event)), Outcome::bad_handle);
  EXPECT_EQ(outcome(backend::event_destroy(event)), Outcome::bad_handle);
}

}  // namespace
