// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Whole readbacks over the recording runtime: what the core adds to the seam on AMD.

#include <tailrace/error.hpp>
#include <tailrace/ring.hpp>
#include <tailrace/runtime.hpp>

#include "backends/adapter.hpp"
#include "src/slot_memory.hpp"
#include "tests/hip/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace tailrace {
namespace {

using recorder::calls;

class HipReadback : public ::testing::Test {
 protected:
  HipReadback() {
    recorder::reset();
    EXPECT_EQ(hipMalloc(&source_, size), hipSuccess);
    EXPECT_EQ(hipStreamCreateWithPriority(&stream_, hipStreamNonBlocking, 0), hipSuccess);
    fill(source_, 1);
  }
  ~HipReadback() override { recorder::reset(); }

  static void fill(void* memory, unsigned char value) { std::memset(memory, value, size); }
  static RingOptions options(std::size_t capacity = size) { return {.slots = 2, .capacity = capacity}; }
  /// The code of what a submission of this memory throws.
  Errc refusal_of(ReadbackRing& ring, const void* memory) {
    try {
      static_cast<void>(ring.submit({memory, size}, stream_));
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("Fix: "));
      return error.errc();
    }
    return {};
  }

  static constexpr std::size_t size = 64;
  void* source_ = nullptr;
  hipStream_t stream_ = nullptr;
};

TEST_F(HipReadback, MakesTheRingsDeviceCurrentForEveryCallThatNeedsIt) {
  ReadbackRing ring{Device{0}, options()};
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  recorder::forget_calls();
  const Ticket ticket = ring.submit({source_, size}, stream_);
  ring.guard_source(ticket, stream_);
  EXPECT_EQ(ring.collect(ticket).size(), size);
  for (const char* const name :
       {"hipMemcpyAsync", "hipEventRecord", "hipStreamWaitEvent", "hipStreamIsCapturing", "hipPointerGetAttributes"}) {
    const auto made = calls(name);
    EXPECT_FALSE(made.empty()) << name;
    for (const auto& call : made) {
      EXPECT_EQ(call.device, 0) << name;
      EXPECT_EQ(call.mode, hipStreamCaptureModeRelaxed) << name;
    }
  }
  int current = -1;
  ASSERT_EQ(hipGetDevice(&current), hipSuccess);
  EXPECT_EQ(current, 1) << "as it was found";
}

TEST_F(HipReadback, AllocatesItsSlotsWithTheRingsDeviceCurrent) {
  // The runtime takes pinned memory from the NUMA node that is nearest to the current device.
  const ReadbackRing ring{Device{1}, options()};
  const auto allocations = calls("hipHostMalloc");
  ASSERT_EQ(allocations.size(), 1U);
  EXPECT_EQ(allocations[0].device, 1);
}

TEST_F(HipReadback, WaitsForNoStreamAndCopiesOncePerSubmission) {
  ReadbackRing ring{Device{0}, options()};
  recorder::forget_calls();
  std::vector<std::byte> bytes;
  for (int i = 0; i < 4; ++i) ring.collect(ring.submit({source_, size}, stream_), bytes);
  EXPECT_EQ(calls("hipMemcpyAsync").size(), 4U);
  EXPECT_TRUE(calls("hipStreamSynchronize").empty());
  EXPECT_TRUE(calls("hipHostMalloc").empty());
  EXPECT_TRUE(calls("hipEventCreateWithFlags").empty());
}

TEST_F(HipReadback, HasNoRegisteredMemoryInItsSlotsHoweverLargeTheyAre) {
  const std::size_t large = detail::SlotMemory::slab_from;
  const ReadbackRing ring{Device{0}, options(large)};
  EXPECT_TRUE(calls("hipHostRegister").empty());
  const auto allocations = calls("hipHostMalloc");
  ASSERT_EQ(allocations.size(), 1U);
  EXPECT_EQ(allocations[0].bytes, 2 * large);
  EXPECT_EQ(allocations[0].flags, hipHostMallocPortable | hipHostMallocCoherent);
  EXPECT_EQ(ring.statistics().slab_bytes, 0U);
}

TEST_F(HipReadback, IntoPinnedMemoryOfTheCallersEndsWithASynchronisation) {
  // HIP promises that memory which is not coherent is up to date after a synchronisation, and not after a query.
  alignas(4096) static std::byte destination[4096];
  ASSERT_EQ(hipHostRegister(destination, sizeof destination, hipHostRegisterDefault), hipSuccess);
  Runtime runtime{Device{0}};
  recorder::behaviour().queries_not_ready = 2;
  recorder::forget_calls();
  runtime.read(std::span{destination, size}, {source_, size}, stream_);
  EXPECT_EQ(destination[size - 1], std::byte{1});
  const auto copies = calls("hipMemcpyAsync");
  const auto waits = calls("hipStreamSynchronize");
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].object, destination);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].stream, copies[0].stream);
  // Only once a query said that the copy is over: the caller's thread drives other transfers, too.
  const auto all = calls();
  const auto last_of = [&](const char* name) {
    return std::find_if(all.rbegin(), all.rend(), [&](const auto& call) { return call.name == name; });
  };
  EXPECT_LT(last_of("hipStreamSynchronize"), last_of("hipEventQuery")) << "counted from the end";
  EXPECT_EQ(calls("hipEventQuery").size(), 3U);
}

class HipApu : public HipReadback {
 protected:
  HipApu() { recorder::behaviour().integrated = 1; }
};

TEST_F(HipApu, ReadbackIsASnapshotThoughTheHostCouldReadTheSource) {
  void* memory = nullptr;
  ASSERT_EQ(hipMalloc(&memory, size), hipSuccess);
  for (void* const source : {memory, recorder::managed(size)}) {
    ReadbackRing ring{Device{0}, options()};
    fill(source, 5);
    const Ticket ticket = ring.submit({source, size}, stream_);
    ring.wait(ticket);
    fill(source, 6);
    ring.visit(ticket, [&](std::span<const std::byte> bytes) {
      EXPECT_NE(static_cast<const void*>(bytes.data()), source);
      EXPECT_THAT(bytes, ::testing::Each(std::byte{5}));
    });
  }
  EXPECT_EQ(calls("hipMemcpyAsync").size(), 2U);
}

TEST_F(HipApu, RefusesHostMemoryAsSourceAsEveryDeviceDoes) {
  void* pinned = nullptr;
  ASSERT_EQ(hipHostMalloc(&pinned, size, hipHostMallocDefault), hipSuccess);
  const std::vector<std::byte> pageable(size);
  ReadbackRing ring{Device{0}, options()};
  recorder::forget_calls();
  EXPECT_EQ(refusal_of(ring, pinned), Errc::wrong_memory);
  EXPECT_EQ(refusal_of(ring, pageable.data()), Errc::wrong_memory);
  EXPECT_TRUE(calls("hipMemcpyAsync").empty());
}

}  // namespace
}  // namespace tailrace
