// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// What the versions of HIP say of a pointer, and what the seam takes it for.

#include "backends/hip/api.hpp"
#include "tests/hip/recorder.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tailrace::backend {
namespace {

class HipMemory : public ::testing::Test {
 protected:
  HipMemory() { recorder::reset(); }
  static Memory info(const void* pointer) {
    Memory memory{MemoryKind::managed, 17};
    const Status status = memory_info(pointer, memory);
    EXPECT_TRUE(status.ok()) << status.code;
    return memory;
  }
};

TEST_F(HipMemory, IsOfTheKindThatItWasAllocatedAs) {
  void* device = nullptr;
  void* pinned = nullptr;
  ASSERT_TRUE(set_device(1).ok());
  ASSERT_TRUE(device_allocate(64, device).ok());
  ASSERT_TRUE(pinned_allocate(64, pinned).ok());
  EXPECT_EQ(info(device).kind, MemoryKind::device);
  EXPECT_EQ(info(device).device, 1);
  EXPECT_EQ(info(pinned).kind, MemoryKind::pinned);
  EXPECT_EQ(info(recorder::managed(64)).kind, MemoryKind::managed);
  EXPECT_TRUE(pinned_as_a_whole(pinned, 64));
  EXPECT_FALSE(pinned_as_a_whole(pinned, 65));
  EXPECT_FALSE(pinned_as_a_whole(device, 64));
}

TEST_F(HipMemory, OfNobodyIsPageableWhetherThatIsAnErrorOrAKind) {
  const int unknown = 0;
  for (const auto version : {recorder::Unregistered::is_an_error, recorder::Unregistered::is_a_kind}) {
    recorder::behaviour().unregistered = version;
    EXPECT_EQ(info(&unknown).kind, MemoryKind::pageable);
    EXPECT_FALSE(pinned_as_a_whole(&unknown, sizeof unknown));
    EXPECT_EQ(hipPeekAtLastError(), hipSuccess) << "an error that is an answer is none of the application's";
  }
}

TEST_F(HipMemory, OnAnIntegratedDeviceIsDeviceMemoryThoughItHasAHostAddress) {
  recorder::behaviour().integrated = 1;
  void* device = nullptr;
  ASSERT_TRUE(device_allocate(64, device).ok());
  hipPointerAttribute_t attributes{};
  ASSERT_EQ(hipPointerGetAttributes(&attributes, device), hipSuccess);
  ASSERT_EQ(attributes.hostPointer, device);
  EXPECT_EQ(info(device).kind, MemoryKind::device);
}

// The structure of HIP before 6 and that from 6 on, whichever of them the header has.
struct Before6 {
  hipMemoryType memoryType;
  int isManaged;
};
struct From6 {
  hipMemoryType type;
  int isManaged;
};

template <class Attributes>
void expect_kinds() {
  EXPECT_EQ(memory_kind(Attributes{hipMemoryTypeDevice, 0}), MemoryKind::device);
  EXPECT_EQ(memory_kind(Attributes{hipMemoryTypeHost, 0}), MemoryKind::pinned);
  EXPECT_EQ(memory_kind(Attributes{hipMemoryTypeDevice, 1}), MemoryKind::managed);
  EXPECT_EQ(memory_kind(Attributes{hipMemoryTypeHost, 1}), MemoryKind::managed);
  EXPECT_EQ(memory_kind(Attributes{hipMemoryTypeUnified, 0}), MemoryKind::pageable);
}

TEST_F(HipMemory, IsReadFromTheStructureOfEveryVersion) {
  expect_kinds<Before6>();
  expect_kinds<From6>();
}

}  // namespace
}  // namespace tailrace::backend
