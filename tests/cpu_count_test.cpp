// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/cpu_count.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstddef>
#include <thread>

namespace tailrace::detail {
namespace {

TEST(CpuCount, TheAffinityMaskBounds) {
  EXPECT_GE(usable_cpus(), 1U);
  std::thread{[] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(usable_cpus(), 1U);
  }}.join();
}

}  // namespace
}  // namespace tailrace::detail
