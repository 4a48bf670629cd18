// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/support/host_backend.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <future>
#include <limits>
#include <thread>
#include <vector>

namespace {

using namespace test::host_backend;
using backend::Region;

using HostCopies = HostBackend;
using HostMemory = HostBackend;

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

TEST_F(HostCopies, ToTheDeviceComeFromPinnedMemoryInStreamOrder) {
  native_stream stream = nullptr;
  ASSERT_TRUE(backend::blocking_stream_create(stream).ok());
  const Buffer destination{64};
  const Pinned source{64};
  std::memset(source.data(), 5, 64);
  std::memset(destination.data(), 4, 64);
  {
    StreamHold hold{backend::legacy_stream};
    ASSERT_TRUE(backend::copy_to_device(destination.data(), source.data(), 64, stream).ok());
    EXPECT_EQ(destination.data()[63], std::byte{4}) << "a blocking stream waits for the legacy one";
  }
  EXPECT_TRUE(backend::stream_synchronize(stream).ok());
  EXPECT_EQ(destination.data()[63], std::byte{5});
  std::byte pageable{};
  EXPECT_EQ(outcome(backend::copy_to_device(destination.data(), &pageable, 1, stream)), Outcome::failed);
  EXPECT_EQ(outcome(backend::copy_to_device(source.data(), source.data(), 1, stream)), Outcome::failed);
  EXPECT_EQ(outcome(backend::copy_to_device(destination.data(), source.data(), 65, stream)), Outcome::failed);
  EXPECT_TRUE(backend::copy_to_device(destination.data(), source.data(), 0, stream).ok());
  EXPECT_TRUE(backend::stream_destroy(stream).ok());
}

TEST_F(HostCopies, GoWrongAsATestWantsThem) {
  const Stream stream;
  const Buffer source{8};
  const Pinned destination{8};
  std::memset(source.data(), 0x0f, 8);
  control::fail_call(DriverCall::copy, 1, control::Failure::silent);
  control::fail_call(DriverCall::copy, 2, control::Failure::wrong_byte);
  ASSERT_EQ(copy(destination, source, 8, stream), Outcome::success);
  host::synchronize(stream);
  EXPECT_EQ(destination.data()[4], std::byte{0});
  ASSERT_EQ(copy(destination, source, 8, stream), Outcome::success);
  host::synchronize(stream);
  EXPECT_EQ(destination.data()[4], std::byte{0xf0});
  EXPECT_EQ(destination.data()[3], std::byte{0x0f});
  ASSERT_EQ(copy(destination, source, 8, stream), Outcome::success);
  host::synchronize(stream);
  EXPECT_EQ(destination.data()[4], std::byte{0x0f});
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

}  // namespace
