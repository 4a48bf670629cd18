// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// HIP's last error, by the rules before 7 and those of 7: ours is taken back, the application's is neither eaten nor
// blamed, as far as the version lets it live.

#include "backends/adapter.hpp"
#include "tests/hip/recorder.hpp"

#include <gtest/gtest.h>

namespace tailrace::backend {
namespace {

using recorder::LastError;

constexpr hipError_t of_the_application = hipErrorInvalidConfiguration;

class HipLastError : public ::testing::TestWithParam<LastError> {
 protected:
  HipLastError() {
    recorder::reset();
    recorder::behaviour().last_error = GetParam();
    EXPECT_TRUE(event_create(event_).ok());
  }
  ~HipLastError() override { recorder::reset(); }

  /// A call of the application's own that fails and that it does not look after.
  static void leave_an_error() {
    recorder::behaviour().failing = "hipFree";
    recorder::behaviour().failure = of_the_application;
    ASSERT_EQ(hipFree(nullptr), of_the_application);
  }
  static void make_queries_pending() { recorder::behaviour().queries_not_ready = 3; }
  static void fail(const char* function, hipError_t code) {
    recorder::behaviour().failing = function;
    recorder::behaviour().failure = code;
  }
  native_event event_ = nullptr;
};

TEST_P(HipLastError, IsNotLeftByAPendingQuery) {
  make_queries_pending();
  EXPECT_TRUE(event_query(event_).pending());
  EXPECT_EQ(hipPeekAtLastError(), hipSuccess);
}

TEST_P(HipLastError, OfTheApplicationIsNotBlamedOnAQuery) {
  leave_an_error();
  make_queries_pending();
  const Status status = event_query(event_);
  EXPECT_TRUE(status.pending());
  EXPECT_EQ(status.code, hipErrorNotReady);
}

TEST_P(HipLastError, OfTheApplicationSurvivesWhereTheVersionKeepsIt) {
  // Before 7 every call overwrites the last error, the application's next one too: there is nothing to be kept.
  const hipError_t kept = GetParam() == LastError::of_the_last_failure ? of_the_application : hipSuccess;
  leave_an_error();
  make_queries_pending();
  EXPECT_TRUE(event_query(event_).pending());
  EXPECT_EQ(hipPeekAtLastError(), kept);
  EXPECT_TRUE(event_record(event_, legacy_stream).ok());
  EXPECT_EQ(hipPeekAtLastError(), kept);
}

TEST_P(HipLastError, OfAFailingCallIsItsOwnAndIsTakenBack) {
  leave_an_error();
  fail("hipHostMalloc", hipErrorOutOfMemory);
  void* memory = nullptr;
  const Status status = pinned_allocate(64, memory);
  EXPECT_EQ(status.outcome, Outcome::out_of_memory) << "by what the call returned, not by what was there before";
  EXPECT_EQ(status.code, hipErrorOutOfMemory);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(hipPeekAtLastError(), hipSuccess);
}

TEST_P(HipLastError, IsNotWhatACallIsClassifiedBy) {
  // Without a device 5.2 returns 100, and notes 101, an invalid device, which is to speak of device 0.
  recorder::behaviour().device_count = hipErrorNoDevice;
  recorder::behaviour().noted_instead = hipErrorInvalidDevice;
  int count = 7;
  EXPECT_EQ(device_count(count).code, hipErrorNoDevice);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(hipPeekAtLastError(), hipSuccess);
}

INSTANTIATE_TEST_SUITE_P(Versions, HipLastError,
                         ::testing::Values(LastError::of_the_last_call, LastError::of_the_last_failure),
                         [](const auto& version) {
                           return version.param == LastError::of_the_last_call ? "before_7" : "from_7";
                         });

}  // namespace
}  // namespace tailrace::backend
