// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// The host backend through the seam, as the core uses it, and through the calls and controls that programs have.
#include <tailrace/error.hpp>
#include <tailrace/host_device.hpp>
#include <tailrace/testing.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <future>
#include <limits>
#include <numeric>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "backends/adapter.hpp"

namespace {

using namespace tailrace;
namespace control = tailrace::testing;  // GoogleTest has a namespace testing, too
using backend::Outcome;
using backend::Region;
using backend::Status;
using control::Failure;
using control::StreamHold;

Outcome outcome(Status status) { return status.outcome; }

class Buffer {
 public:
  explicit Buffer(std::size_t bytes) : data_{static_cast<std::byte*>(host::allocate(bytes))} {}
  ~Buffer() { host::deallocate(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }
  std::byte* release() { return std::exchange(data_, nullptr); }

 private:
  std::byte* data_;
};

class Pinned {
 public:
  explicit Pinned(std::size_t bytes) : data_{static_cast<std::byte*>(host::allocate_pinned(bytes))} {
    std::memset(data_, 0, bytes);
  }
  ~Pinned() { host::deallocate_pinned(data_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }
  std::byte* release() { return std::exchange(data_, nullptr); }

 private:
  std::byte* data_;
};

class Stream {
 public:
  explicit Stream(host::StreamKind kind = host::StreamKind::non_blocking) : handle_{host::create_stream(kind)} {}
  ~Stream() { host::destroy_stream(handle_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator native_stream() const { return handle_; }  // NOLINT(google-explicit-constructor)
  operator StreamRef() const { return handle_; }      // NOLINT(google-explicit-constructor)

 private:
  native_stream handle_;
};

class Event {
 public:
  Event() { EXPECT_TRUE(backend::event_create(handle_).ok()); }
  ~Event() { static_cast<void>(backend::event_destroy(handle_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator native_event() const { return handle_; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] Outcome query() const { return backend::event_query(handle_).outcome; }

 private:
  native_event handle_ = nullptr;
};

Outcome record(native_event event, native_stream stream) { return outcome(backend::event_record(event, stream)); }
Outcome copy(const Pinned& to, const Buffer& from, std::size_t bytes, native_stream stream) {
  return outcome(backend::copy_to_host(to.data(), {.data = from.data(), .width = bytes}, stream));
}

template <class Call>
Errc errc_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_NE(std::string_view{error.what()}.find("Fix: "), std::string_view::npos);
    return error.errc();
  }
  ADD_FAILURE() << "nothing was thrown";
  return Errc{};
}

class HostBackend : public ::testing::Test {
 protected:
  HostBackend() { reset(); }
  ~HostBackend() override { reset(); }

 private:
  static void reset() {
    control::clear_failures();
    control::revive_devices();
    control::complete_copies_at_enqueue(false);
    control::limit_pinned_bytes(std::numeric_limits<std::size_t>::max());
    host::set_device(0);
    host::get_last_error();
  }
};

using HostStreams = HostBackend;
using HostEvents = HostBackend;
using HostCopies = HostBackend;
using HostMemory = HostBackend;
using HostFaults = HostBackend;
using HostCapture = HostBackend;
using HostLastError = HostBackend;

// Streams.

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

// Events.

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

// Copies.

TEST_F(HostCopies, ArriveBeforeTheEventBehindThemIsDone) {
  const Stream stream;
  const Event event;
  const Buffer source{1 << 20};
  const Pinned destination{1 << 20};
  std::memset(source.data(), 7, 1 << 20);
  ASSERT_EQ(copy(destination, source, 1 << 20, stream), Outcome::success);
  ASSERT_EQ(record(event, stream), Outcome::success);
  while (event.query() == Outcome::not_ready) std::this_thread::yield();
  EXPECT_EQ(event.query(), Outcome::success);
  EXPECT_EQ(std::memcmp(source.data(), destination.data(), 1 << 20), 0);
}

TEST_F(HostCopies, AreOverAtEnqueueIfToldSo) {
  control::complete_copies_at_enqueue(true);
  const Stream stream;
  const Event event;
  const Buffer source{64};
  const Pinned destination{64};
  std::memset(source.data(), 9, 64);
  ASSERT_EQ(copy(destination, source, 64, stream), Outcome::success);
  EXPECT_EQ(destination.data()[63], std::byte{9});
  StreamHold hold{stream};
  std::memset(source.data(), 10, 64);
  ASSERT_EQ(copy(destination, source, 64, stream), Outcome::success);
  ASSERT_EQ(record(event, stream), Outcome::success);
  EXPECT_EQ(event.query(), Outcome::not_ready);
  hold.release();
  host::synchronize(stream);
  EXPECT_EQ(destination.data()[63], std::byte{10});
}

TEST_F(HostCopies, OfPitchedRegionsArriveDense) {
  constexpr std::size_t width = 3, height = 2, depth = 2, pitch = 5, slice_pitch = 15;
  // The allocation ends with the last byte of the last row: its padding is not there to be read.
  const std::size_t bytes = (depth - 1) * slice_pitch + (height - 1) * pitch + width;
  const Stream stream;
  const Buffer source{bytes};
  const Pinned destination{width * height * depth};
  for (std::size_t i = 0; i < bytes; ++i) source.data()[i] = static_cast<std::byte>(i);
  const Region region{source.data(), width, height, depth, pitch, slice_pitch};
  ASSERT_TRUE(backend::copy_to_host(destination.data(), region, stream).ok());
  host::synchronize(stream);
  const std::vector<int> expected{0, 1, 2, 5, 6, 7, 15, 16, 17, 20, 21, 22};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(std::to_integer<int>(destination.data()[i]), expected[i]);
}

TEST_F(HostCopies, OutOfBoundsAreRefused) {
  const Stream stream;
  const Buffer source{100};
  const Pinned destination{200};
  const auto try_copy = [&](void* to, const Region& region) {
    return outcome(backend::copy_to_host(to, region, stream));
  };
  std::byte* const from = source.data();
  EXPECT_EQ(try_copy(destination.data(), {.data = from, .width = 100}), Outcome::success);
  EXPECT_EQ(try_copy(destination.data(), {.data = from, .width = 101}), Outcome::failed);
  EXPECT_EQ(try_copy(destination.data(), {.data = from + 1, .width = 100}), Outcome::failed);
  EXPECT_EQ(try_copy(destination.data(), {.data = from, .width = 10, .height = 3, .pitch = 45}), Outcome::success);
  EXPECT_EQ(try_copy(destination.data(), {.data = from, .width = 10, .height = 3, .pitch = 46}), Outcome::failed);
  EXPECT_EQ(try_copy(destination.data(), {.data = from, .width = 10, .height = 2, .pitch = 9}), Outcome::failed);
  const auto huge = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(try_copy(destination.data(), {.data = from, .width = 2, .height = huge, .pitch = 2}), Outcome::failed);
  EXPECT_EQ(try_copy(destination.data() + 150, {.data = from, .width = 51}), Outcome::failed);
  EXPECT_EQ(try_copy(destination.data(), {.data = destination.data(), .width = 1}), Outcome::failed);
  EXPECT_EQ(try_copy(destination.data(), {.data = nullptr, .width = 1}), Outcome::failed);
  EXPECT_EQ(try_copy(destination.data(), {.data = nullptr, .width = 0}), Outcome::success);
  std::vector<std::byte> pageable(100);
  EXPECT_EQ(try_copy(pageable.data(), {.data = from, .width = 100}), Outcome::failed);
  host::synchronize(stream);
}

TEST_F(HostCopies, BetweenDevicesAreRefusedAndOnOneDeviceAreNot) {
  const Stream stream;
  const Buffer source{16};
  const Buffer same{16};
  host::set_device(1);
  const Buffer other{16};
  std::memset(source.data(), 3, 16);
  const Region region{.data = source.data(), .width = 16};
  EXPECT_TRUE(backend::copy_on_device(same.data(), region, stream).ok());
  EXPECT_EQ(outcome(backend::copy_on_device(other.data(), region, stream)), Outcome::failed);
  host::synchronize(stream);
  EXPECT_EQ(same.data()[15], std::byte{3});
}

TEST_F(HostCopies, ThatBlockWorkWithOrdinaryMemory) {
  const Buffer buffer{8};
  std::vector<std::byte> out(8, std::byte{5});
  std::vector<std::byte> in(8);
  host::copy_to_device(buffer.data(), out.data(), 8);
  host::copy_to_host(in.data(), buffer.data(), 8);
  EXPECT_EQ(in, out);
  EXPECT_EQ(errc_of([&] { host::copy_to_host(in.data(), buffer.data(), 9); }), Errc::driver_error);
}

// Memory.

TEST_F(HostMemory, IsKnownByKindAndDevice) {
  host::set_device(1);
  const Buffer buffer{10};
  const Pinned pinned{10};
  backend::Memory memory;
  ASSERT_TRUE(backend::memory_info(buffer.data() + 9, memory).ok());
  EXPECT_EQ(memory.kind, backend::MemoryKind::device);
  EXPECT_EQ(memory.device, 1);
  ASSERT_TRUE(backend::memory_info(pinned.data() + 9, memory).ok());
  EXPECT_EQ(memory.kind, backend::MemoryKind::pinned);
  ASSERT_TRUE(backend::memory_info(&memory, memory).ok());
  EXPECT_EQ(memory.kind, backend::MemoryKind::pageable);
}

TEST_F(HostMemory, IsPinnedAsAWholeOnlyWithinOneRegistration) {
  std::vector<std::byte> memory(300);
  host::register_pinned(memory.data() + 100, 100);
  EXPECT_TRUE(backend::pinned_as_a_whole(memory.data() + 100, 100));
  EXPECT_FALSE(backend::pinned_as_a_whole(memory.data() + 100, 101));
  EXPECT_FALSE(backend::pinned_as_a_whole(memory.data() + 99, 10));
  EXPECT_EQ(errc_of([&] { host::register_pinned(memory.data() + 50, 51); }), Errc::driver_error);
  EXPECT_EQ(errc_of([&] { host::register_pinned(memory.data() + 150, 100); }), Errc::driver_error);
  host::register_pinned(memory.data() + 200, 100);
  EXPECT_FALSE(backend::pinned_as_a_whole(memory.data() + 100, 200));
  host::unregister_pinned(memory.data() + 100);
  host::unregister_pinned(memory.data() + 200);
  EXPECT_FALSE(backend::pinned_as_a_whole(memory.data() + 100, 100));
  EXPECT_EQ(errc_of([&] { host::unregister_pinned(memory.data() + 100); }), Errc::driver_error);
}

TEST_F(HostMemory, IsAccountedFor) {
  const control::Resources before = control::resources();
  {
    const Buffer buffer{1000};
    const Pinned pinned{2000};
    const Stream stream;
    const Event event;
    const control::Resources now = control::resources();
    EXPECT_EQ(now.device_bytes, before.device_bytes + 1000);
    EXPECT_EQ(now.pinned_bytes, before.pinned_bytes + 2000);
    EXPECT_EQ(now.pinned_allocations, before.pinned_allocations + 1);
    EXPECT_EQ(now.streams, before.streams + 1);
    EXPECT_EQ(now.events, before.events + 1);
  }
  const control::Resources after = control::resources();
  EXPECT_EQ(after.device_bytes, before.device_bytes);
  EXPECT_EQ(after.pinned_bytes, before.pinned_bytes);
  EXPECT_EQ(after.streams, before.streams);
  EXPECT_EQ(after.events, before.events);
}

TEST_F(HostMemory, ThatIsPinnedCanBeLimited) {
  control::limit_pinned_bytes(control::resources().pinned_bytes + 100);
  const Pinned first{60};
  void* memory = nullptr;
  EXPECT_EQ(outcome(backend::pinned_allocate(41, memory)), Outcome::out_of_memory);
  EXPECT_EQ(memory, nullptr);
  ASSERT_TRUE(backend::pinned_allocate(40, memory).ok());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0U);
  EXPECT_TRUE(backend::pinned_free(memory).ok());
  EXPECT_EQ(outcome(backend::pinned_free(memory)), Outcome::failed);
}

TEST_F(HostMemory, ThatIsPinnedIsNotGivenOutWhileAllocationsAreHeld) {
  control::PinnedAllocationHold hold;
  std::atomic<bool> allocated{false};
  std::thread allocating{[&allocated] {
    void* memory = nullptr;
    EXPECT_TRUE(backend::pinned_allocate(1, memory).ok());
    allocated = true;
    EXPECT_TRUE(backend::pinned_free(memory).ok());
  }};
  hold.wait_until_blocked();
  EXPECT_FALSE(allocated);
  const Event event;  // other calls go on
  EXPECT_EQ(event.query(), Outcome::success);
  hold.release();
  allocating.join();
  EXPECT_TRUE(allocated);
}

TEST_F(HostMemory, IsFreedAfterTheCopiesThatTouchIt) {
  const Stream stream;
  const Pinned destination{8};
  Buffer source{8};
  std::memset(source.data(), 4, 8);
  std::promise<void> go;
  host::launch(stream, [&go] { go.get_future().wait(); });
  ASSERT_EQ(copy(destination, source, 8, stream), Outcome::success);
  std::thread freeing{[memory = source.release()] { host::deallocate(memory); }};
  go.set_value();
  freeing.join();
  EXPECT_EQ(destination.data()[7], std::byte{4});
}

TEST_F(HostMemory, ThatIsPinnedIsFreedAfterTheCopiesThatTouchIt) {
  const Stream stream;
  const Buffer source{8};
  std::memset(source.data(), 4, 8);
  std::byte* const destination = Pinned{8}.release();
  StreamHold hold{stream};
  ASSERT_TRUE(backend::copy_to_host(destination, {.data = source.data(), .width = 8}, stream).ok());
  std::thread freeing{[destination] { EXPECT_TRUE(backend::pinned_free(destination).ok()); }};
  hold.release();
  freeing.join();
  backend::Memory memory;
  ASSERT_TRUE(backend::memory_info(destination, memory).ok());
  EXPECT_EQ(memory.kind, backend::MemoryKind::pageable);
}

TEST_F(HostMemory, IsFreedInStreamOrder) {
  const std::size_t before = control::resources().device_bytes;
  const Stream stream;
  const Pinned destination{8};
  Buffer source{8};
  std::memset(source.data(), 6, 8);
  StreamHold hold{stream};
  ASSERT_EQ(copy(destination, source, 8, stream), Outcome::success);
  host::deallocate_async(source.release(), stream);
  EXPECT_EQ(control::resources().device_bytes, before);
  hold.release();
  host::synchronize(stream);
  EXPECT_EQ(destination.data()[7], std::byte{6});
}

// Faults.

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

// Capture.

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

// The last error.

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

// Devices.

TEST_F(HostBackend, HasACurrentDevicePerThread) {
  host::set_device(1);
  std::thread{[] { EXPECT_EQ(host::current_device(), 0); }}.join();
  int device = -1;
  ASSERT_TRUE(backend::get_device(device).ok());
  EXPECT_EQ(device, 1);
  EXPECT_EQ(outcome(backend::set_device(99)), Outcome::no_device);
  EXPECT_EQ(errc_of([] { host::set_device(-1); }), Errc::no_device);
  EXPECT_EQ(host::current_device(), 1);
}

TEST_F(HostBackend, DescribesItsDevices) {
  int count = 0;
  ASSERT_TRUE(backend::device_count(count).ok());
  EXPECT_EQ(count, host::device_count());
  DeviceInfo info;
  ASSERT_TRUE(backend::device_info(1, info).ok());
  EXPECT_EQ(info.architecture, "host");
  EXPECT_GT(info.memory_bytes, 0U);
  EXPECT_EQ(outcome(backend::device_info(count, info)), Outcome::no_device);
}

TEST_F(HostBackend, KeepsItsPromisesFromManyThreads) {
  const Stream shared;
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back([&shared, id] {
      const Stream own{host::StreamKind::blocking};
      const Event produced;
      const Event copied;
      const Buffer source{256};
      const Pinned destination{256};
      for (int round = 0; round < 200; ++round) {
        const int value = (id * 50 + round) % 251;
        host::launch(own, [&source, value] { std::memset(source.data(), value, 256); });
        ASSERT_EQ(record(produced, own), Outcome::success);
        ASSERT_TRUE(backend::stream_wait(shared, produced).ok());
        ASSERT_EQ(copy(destination, source, 256, shared), Outcome::success);
        ASSERT_EQ(record(copied, shared), Outcome::success);
        while (copied.query() == Outcome::not_ready) std::this_thread::yield();
        ASSERT_EQ(destination.data()[255], static_cast<std::byte>(value));
        if (round % 16 == 0) {
          ASSERT_EQ(record(produced, backend::legacy_stream), Outcome::success);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
