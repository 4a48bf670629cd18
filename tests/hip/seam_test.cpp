// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Which HIP calls the seam makes on AMD, with which flags, and what it takes their answers for.

#include "backends/adapter.hpp"
#include "tests/hip/recorder.hpp"

#include <gtest/gtest.h>

#include <tuple>
#include <utility>
#include <vector>

namespace tailrace::backend {
namespace {

class HipSeam : public ::testing::Test {
 protected:
  HipSeam() { recorder::reset(); }
};

TEST_F(HipSeam, AsksForCoherentSlotsByName) {
  void* memory = nullptr;
  ASSERT_TRUE(pinned_allocate(4096, memory).ok());
  const auto calls = recorder::calls("hipHostMalloc");
  ASSERT_EQ(calls.size(), 1U);
  // "Portable" alone makes memory that is not coherent, unless the environment says so.
  EXPECT_EQ(calls[0].flags, hipHostMallocPortable | hipHostMallocCoherent);
  EXPECT_EQ(calls[0].flags, 0x4000'0001U) << "the numbers of the headers for AMD";
  EXPECT_EQ(calls[0].bytes, 4096U);
  EXPECT_TRUE(pinned_free(memory).ok());
}

TEST_F(HipSeam, MakesEventsThatReleaseToTheSystem) {
  constexpr unsigned disable_system_fence = 0x2000'0000;  // newer headers have a name for it
  native_event event = nullptr;
  ASSERT_TRUE(event_create(event).ok());
  const auto calls = recorder::calls("hipEventCreateWithFlags");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].flags, hipEventDisableTiming | hipEventReleaseToSystem);
  EXPECT_EQ(calls[0].flags & disable_system_fence, 0U);
  EXPECT_TRUE(event_destroy(event).ok());
}

TEST_F(HipSeam, MakesStreamsThatDoNotSynchroniseWithTheLegacyStream) {
  native_stream stream = nullptr;
  ASSERT_TRUE(stream_create(0, stream).ok());
  const auto calls = recorder::calls("hipStreamCreateWithPriority");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].flags, unsigned{hipStreamNonBlocking});
}

TEST_F(HipSeam, MakesTheSelfTestsBlockingStreamThatWaitsForTheLegacyOne) {
  native_stream stream = nullptr;
  ASSERT_TRUE(blocking_stream_create(stream).ok());
  const auto calls = recorder::calls("hipStreamCreateWithFlags");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].flags, unsigned{hipStreamDefault});
}

TEST_F(HipSeam, NamesTheLegacyStreamAsVersionsWithoutAHandleForItDo) {
  native_event event = nullptr;
  ASSERT_TRUE(event_create(event).ok());
  ASSERT_TRUE(event_record(event, legacy_stream).ok());
  EXPECT_EQ(recorder::calls("hipEventRecord").at(0).stream, nullptr);
}

TEST_F(HipSeam, RegistersForAllDevicesAndDoesNotClaimCoherence) {
  alignas(4096) static char memory[4096];
  ASSERT_TRUE(pinned_register(memory, sizeof memory).ok());
  EXPECT_EQ(recorder::calls("hipHostRegister").at(0).flags, unsigned{hipHostRegisterPortable});
  EXPECT_FALSE(registers_coherently);
  EXPECT_TRUE(pinned_unregister(memory).ok());
}

TEST_F(HipSeam, HasNoDeviceWhereTheRuntimeSaysSoInEitherWay) {
  // 100: no device. 35: no driver, or one that is too old. In both the runtime leaves the number as it was.
  for (const hipError_t code : {hipErrorNoDevice, hipErrorInsufficientDriver}) {
    recorder::behaviour().device_count = code;
    int count = 7;
    const Status status = device_count(count);
    EXPECT_EQ(status.outcome, Outcome::no_device) << code;
    EXPECT_EQ(status.code, code);
    EXPECT_EQ(count, 0);
    EXPECT_EQ(hipPeekAtLastError(), hipSuccess);
  }
  EXPECT_EQ(int{hipErrorNoDevice}, 100);
  EXPECT_EQ(int{hipErrorInsufficientDriver}, 35);
}

TEST_F(HipSeam, ClassifiesWhatACallReturned) {
  const std::vector<std::pair<hipError_t, Outcome>> meanings{
      {hipErrorIllegalAddress, Outcome::device_lost},
      {hipErrorLaunchFailure, Outcome::device_lost},
      {hipErrorECCNotCorrectable, Outcome::device_lost},
      {hipErrorDeinitialized, Outcome::unloading},
      {hipErrorInvalidDevice, Outcome::no_device},
      {hipErrorOutOfMemory, Outcome::out_of_memory},
      {hipErrorInvalidHandle, Outcome::bad_handle},
      {hipErrorContextIsDestroyed, Outcome::bad_handle},
      {hipErrorNotSupported, Outcome::unsupported},
      {hipErrorStreamCaptureUnsupported, Outcome::capturing},
      {hipErrorUnknown, Outcome::failed},
      {hipErrorInvalidValue, Outcome::failed},
  };
  for (const auto& [code, outcome] : meanings) {
    recorder::behaviour().failing = "hipEventQuery";
    recorder::behaviour().failure = code;
    const Status status = event_query(nullptr);
    EXPECT_EQ(status.outcome, outcome) << code;
    EXPECT_EQ(status.code, code);
  }
}

TEST_F(HipSeam, TellsAnIntegratedDevice) {
  for (const int integrated : {0, 1}) {
    recorder::behaviour().integrated = integrated;
    DeviceInfo info;
    ASSERT_TRUE(device_info(0, info).ok());
    EXPECT_EQ(info.integrated, integrated == 1);
    EXPECT_EQ(info.architecture, "gfx90a:sramecc+:xnack-");
  }
}

TEST_F(HipSeam, DoesNotPromiseThatHandlesStandAlone) { EXPECT_FALSE(handles_stand_alone); }

}  // namespace
}  // namespace tailrace::backend
