// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// A readback is a copy wherever its source lies: also of memory that the host could read itself, as managed memory, and
// all memory of an integrated device, which the host backend's is.

#include <tailrace/devices.hpp>
#include <tailrace/runtime.hpp>

#include "tests/support/ring.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <span>

namespace {

using namespace test;

class RingSnapshot : public RingTest {
 protected:
  static constexpr std::size_t size = 8192;
  static bool lies_in(const Buffer& memory, const std::byte* address) {
    const auto* const first = static_cast<const std::byte*>(memory.data());
    return !std::less{}(address, first) && std::less{}(address, first + memory.size());
  }
  /// Reads the source and overwrites it before anybody looks at the result.
  void expect_snapshot(Buffer source) {
    ReadbackRing ring = make(2, size);
    source.fill(std::byte{1});
    const Ticket ticket = ring.submit({source.data(), size}, stream);
    ring.wait(ticket);
    source.fill(std::byte{2});
    ring.visit(ticket, [&](std::span<const std::byte> bytes) {
      EXPECT_FALSE(lies_in(source, bytes.data()));
      EXPECT_THAT(bytes, ::testing::Each(std::byte{1}));
    });
    EXPECT_EQ(ring.statistics().calls[tailrace::DriverCall::copy], 1U);
  }
};

TEST_F(RingSnapshot, IsTestedOnAnIntegratedDevice) {
  if (tailrace::backend_name() == "host") {
    EXPECT_TRUE(tailrace::Device{0}.info().integrated);
  }
}

TEST_F(RingSnapshot, OfDeviceMemory) { expect_snapshot(Buffer{size}); }

TEST_F(RingSnapshot, OfManagedMemory) { expect_snapshot(Buffer::managed(size)); }

TEST_F(RingSnapshot, OfManagedMemoryInOneLargeRead) {
  const std::size_t large = std::size_t{1} << 20;
  Buffer source = Buffer::managed(large);
  source.fill(std::byte{3});
  std::vector<std::byte> destination(large);
  tailrace::Runtime runtime{tailrace::Device{0}};
  runtime.read(std::span{destination}, {source.data(), large}, stream);
  source.fill(std::byte{4});
  EXPECT_TRUE(destination == std::vector<std::byte>(large, std::byte{3}));
}

}  // namespace
