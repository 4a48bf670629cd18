// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// The main() of every GoogleTest program. Where there is no device, one that needs one skips, visibly for CTest, before
// a test's constructor can fail. At the end oneTBB's threads are ended, which else count as leaks.

#include "tests/support/device.hpp"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <cstdio>
#include <new>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (TAILRACE_TEST_NEEDS_DEVICE && !GTEST_FLAG_GET(list_tests) && test::device_count() == 0) {
    std::puts("[  SKIPPED ] no device");
    return 0;
  }
  oneapi::tbb::task_scheduler_handle scheduler{oneapi::tbb::attach{}};
  const int result = RUN_ALL_TESTS();
  static_cast<void>(oneapi::tbb::finalize(scheduler, std::nothrow));
  return result;
}
