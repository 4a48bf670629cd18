// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/support/host_backend.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <future>
#include <thread>
#include <vector>

namespace {

using namespace test::host_backend;
using control::Failure;

using HostFaults = HostBackend;
using HostLastError = HostBackend;

TEST_F(HostFaults, FailTheKthCallOnce) {
  const Event event;
  control::fail_call(DriverCall::event_query, 2);
  EXPECT_EQ(event.query(), Outcome::success);
  const Status failed = backend::event_query(event);
  EXPECT_EQ(failed.outcome, Outcome::failed);
  EXPECT_STREQ(backend::error_name(failed.code), "hostErrorInjected");
  EXPECT_EQ(event.query(), Outcome::success);
}

TEST_F(HostFaults, MakeACallDoNothing) {
  void* memory = nullptr;
  control::fail_call(DriverCall::pinned_allocate, 1);
  EXPECT_EQ(outcome(backend::pinned_allocate(16, memory)), Outcome::out_of_memory);
  EXPECT_EQ(memory, nullptr);
  ASSERT_TRUE(backend::pinned_allocate(16, memory).ok());
  control::fail_call(DriverCall::pinned_free, 1);
  EXPECT_EQ(outcome(backend::pinned_free(memory)), Outcome::failed);
  static_cast<std::byte*>(memory)[15] = std::byte{1};
  EXPECT_TRUE(backend::pinned_free(memory).ok());
}

TEST_F(HostFaults, FailEveryCallOfAKindUntilCleared) {
  const Event event;
  control::fail_calls(DriverCall::event_query);
  EXPECT_EQ(event.query(), Outcome::failed);
  EXPECT_EQ(event.query(), Outcome::failed);
  control::clear_failures();
  EXPECT_EQ(event.query(), Outcome::success);
}

TEST_F(HostFaults, CountTheCallsOfAThreadOrOfAllOthers) {
  const Event event;
  const std::uint64_t mine = control::calls(control::CallsOf::this_thread);
  const std::uint64_t theirs = control::calls(control::CallsOf::other_threads);
  control::fail_any_call(2, Failure::once, control::CallsOf::this_thread);
  control::fail_any_call(1, Failure::once, control::CallsOf::other_threads);
  EXPECT_EQ(event.query(), Outcome::success);
  const auto elsewhere = [&] { return std::async(std::launch::async, [&] { return event.query(); }).get(); };
  EXPECT_EQ(elsewhere(), Outcome::failed);
  EXPECT_EQ(elsewhere(), Outcome::success);
  EXPECT_EQ(event.query(), Outcome::failed);
  EXPECT_EQ(control::calls(control::CallsOf::this_thread), mine + 2);
  EXPECT_EQ(control::calls(control::CallsOf::other_threads), theirs + 2);
  EXPECT_EQ(control::failed_calls(), (std::vector{DriverCall::event_query, DriverCall::event_query}));
  control::clear_failures();
  EXPECT_TRUE(control::failed_calls().empty());
}

TEST_F(HostFaults, CanBeTriedOnStreamsThatHaveDoneWhatTheyCan) {
  const Stream stream;
  const Stream held;
  const Buffer source{8};
  const Pinned destination{8};
  const Event event;
  std::memset(source.data(), 1, 8);
  {
    const StreamHold hold{held};
    ASSERT_EQ(copy(destination, source, 8, stream), Outcome::success);
    ASSERT_EQ(record(event, held), Outcome::success);
    control::settle_streams();
    EXPECT_EQ(destination.data()[7], std::byte{1});
    EXPECT_EQ(event.query(), Outcome::not_ready);
  }
  control::settle_streams();
  EXPECT_EQ(event.query(), Outcome::success);
}

TEST_F(HostFaults, ThatAreStickyLoseTheDeviceButNotTheOther) {
  const Event event;
  const Stream stream;
  void* memory = nullptr;
  ASSERT_TRUE(backend::pinned_allocate(1, memory).ok());
  control::fail_call(DriverCall::event_record, 1, Failure::sticky);
  EXPECT_EQ(record(event, stream), Outcome::device_lost);
  EXPECT_EQ(event.query(), Outcome::device_lost);  // though never recorded, thus done
  EXPECT_EQ(outcome(backend::pinned_free(memory)), Outcome::device_lost);
  EXPECT_EQ(outcome(backend::stream_synchronize(stream)), Outcome::device_lost);
  EXPECT_EQ(errc_of([] { static_cast<void>(host::allocate(1)); }), Errc::device_lost);
  host::set_device(1);
  const Event well;
  EXPECT_EQ(well.query(), Outcome::success);
  EXPECT_EQ(event.query(), Outcome::device_lost);
  control::revive_devices();
  EXPECT_EQ(event.query(), Outcome::success);
  EXPECT_TRUE(backend::pinned_free(memory).ok());
}

TEST_F(HostFaults, OfTheDeviceDropTheWorkOnItForEver) {
  const Stream stream;
  const Event event;
  const Buffer source{8};
  const Pinned destination{8};
  std::memset(source.data(), 1, 8);
  StreamHold hold{stream};
  ASSERT_EQ(copy(destination, source, 8, stream), Outcome::success);
  ASSERT_EQ(record(event, stream), Outcome::success);
  control::lose_device(0);
  hold.release();
  EXPECT_EQ(event.query(), Outcome::device_lost);
  control::revive_devices();
  host::launch(stream, [] {});
  host::synchronize(stream);
  EXPECT_EQ(destination.data()[0], std::byte{0});
  EXPECT_EQ(event.query(), Outcome::not_ready);
}

TEST_F(HostFaults, OfTheDeviceEndASynchronisation) {
  const Stream stream;
  std::promise<void> running;
  std::promise<void> go;
  host::launch(stream, [&] { running.set_value(), go.get_future().wait(); });
  running.get_future().wait();
  std::thread losing{[] { control::lose_device(0); }};
  EXPECT_EQ(outcome(backend::stream_synchronize(stream)), Outcome::device_lost);
  losing.join();
  go.set_value();
  control::revive_devices();
  host::launch(stream, [] {});
  host::synchronize(stream);
}

// The calls of one readback, each checked as the core would; true if all went well.
bool read_back(Failure& seen) {
  void* slot = nullptr;
  native_stream stream = nullptr;
  native_event event = nullptr;
  const auto fine = [&seen](Status status) {
    if (status.lost()) seen = Failure::sticky;
    return status.ok();
  };
  const Buffer source{64};
  bool ok = fine(backend::pinned_allocate(64, slot)) && fine(backend::stream_create(0, stream)) &&
            fine(backend::event_create(event)) && fine(backend::stream_wait(stream, event)) &&
            fine(backend::copy_to_host(slot, {.data = source.data(), .width = 64}, stream)) &&
            fine(backend::event_record(event, stream)) && fine(backend::stream_synchronize(stream)) &&
            fine(backend::event_query(event));
  if (event) ok = fine(backend::event_destroy(event)) && ok;
  if (stream) ok = fine(backend::stream_destroy(stream)) && ok;
  if (slot) ok = fine(backend::pinned_free(slot)) && ok;
  control::clear_failures();
  control::revive_devices();
  return ok;
}

TEST_F(HostFaults, CanBePutInEveryCallOfASequence) {
  Failure seen = Failure::once;
  const std::uint64_t before = control::calls();
  ASSERT_TRUE(read_back(seen));
  const std::uint64_t calls = control::calls() - before;
  EXPECT_EQ(calls, 11U);
  for (const Failure failure : {Failure::once, Failure::sticky}) {
    for (std::uint64_t k = 1; k <= calls; ++k) {
      seen = Failure::once;
      control::fail_any_call(k, failure);
      EXPECT_FALSE(read_back(seen)) << "call " << k;
      EXPECT_EQ(seen, failure) << "call " << k;
      EXPECT_EQ(host::peek_last_error(), 0);
    }
  }
  control::fail_any_call(calls + 1);
  EXPECT_TRUE(read_back(seen));
}

TEST_F(HostFaults, AreCountedByKind) {
  const std::uint64_t queries = control::calls(DriverCall::event_query);
  const std::uint64_t all = control::calls();
  const Event event;
  static_cast<void>(event.query());
  EXPECT_EQ(control::calls(DriverCall::event_query), queries + 1);
  EXPECT_EQ(control::calls(), all + 2);
  host::deallocate(host::allocate(1));  // an application's call is none of the library's
  EXPECT_EQ(control::calls(), all + 2);
}

TEST_F(HostLastError, IsSetByAnApplicationsCallAndReadOnce) {
  int not_device_memory = 0;
  host::deallocate(&not_device_memory);
  EXPECT_NE(host::peek_last_error(), 0);
  EXPECT_STREQ(backend::error_name(host::get_last_error()), "hostErrorInvalidValue");
  EXPECT_EQ(host::get_last_error(), 0);
}

TEST_F(HostLastError, SurvivesSuccessfulAndPendingCallsAndIsClearedByAFailingOne) {
  const Stream stream;
  const Event event;
  const StreamHold hold{stream};
  ASSERT_EQ(record(event, stream), Outcome::success);
  host::fail_a_call_of_my_own(5);
  EXPECT_EQ(event.query(), Outcome::not_ready);
  EXPECT_EQ(host::peek_last_error(), 5);
  control::fail_call(DriverCall::event_query, 1);
  EXPECT_EQ(event.query(), Outcome::failed);
  EXPECT_EQ(host::peek_last_error(), 0);
}

TEST_F(HostLastError, IsEachThreadsOwn) {
  host::fail_a_call_of_my_own(3);
  std::thread{[] { EXPECT_EQ(host::peek_last_error(), 0); }}.join();
  EXPECT_EQ(host::get_last_error(), 3);
}

}  // namespace
