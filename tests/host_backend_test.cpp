// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/support/host_backend.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

namespace {

using namespace test::host_backend;

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
