// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/cpu_count.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <map>
#include <optional>
#include <string>
#include <thread>

namespace tailrace::detail {
namespace {

using Files = std::map<std::string, std::string>;

std::optional<unsigned> cpus(std::string_view membership, const Files& files) {
  return quota_cpus(membership, [&files](const std::string& path) -> std::optional<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return std::nullopt;
    return found->second;
  });
}

TEST(CpuCount, WithoutAControlGroupThereIsNoQuota) {
  EXPECT_EQ(cpus("", {}), std::nullopt);
  EXPECT_EQ(cpus("0::/\n", {}), std::nullopt);
}

TEST(CpuCount, AVersion2QuotaIsRoundedDownButNotToNothing) {
  EXPECT_EQ(cpus("0::/job\n", {{"/sys/fs/cgroup/job/cpu.max", "350000 100000\n"}}), 3U);
  EXPECT_EQ(cpus("0::/job\n", {{"/sys/fs/cgroup/job/cpu.max", "50000 100000\n"}}), 1U);
  EXPECT_EQ(cpus("0::/job\n", {{"/sys/fs/cgroup/job/cpu.max", "max 100000\n"}}), std::nullopt);
}

TEST(CpuCount, AQuotaOfAnyGroupAboveCounts) {
  EXPECT_EQ(cpus("0::/a/b/c\n", {{"/sys/fs/cgroup/a/b/c/cpu.max", "800000 100000"},
                                 {"/sys/fs/cgroup/a/b/cpu.max", "max 100000"},
                                 {"/sys/fs/cgroup/a/cpu.max", "200000 100000"}}),
            2U);
}

TEST(CpuCount, AContainersQuotaIsAtTheRootThatItSees) {
  EXPECT_EQ(cpus("0::/not/visible\n", {{"/sys/fs/cgroup/cpu.max", "400000 100000"}}), 4U);
}

TEST(CpuCount, AVersion1QuotaIsRead) {
  const std::string membership = "4:memory:/job\n3:cpu,cpuacct:/job\n2:cpuset:/job\n1:name=systemd:/\n";
  EXPECT_EQ(cpus(membership, {{"/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "600000\n"},
                              {"/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n"}}),
            6U);
  EXPECT_EQ(cpus("1:cpu:/job\n", {{"/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n"},
                                  {"/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n"}}),
            std::nullopt);
  EXPECT_EQ(cpus("1:cpuset:/job\n", {{"/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "100000\n"},
                                     {"/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n"}}),
            std::nullopt);
}

TEST(CpuCount, WhatCannotBeReadIsNoQuota) {
  EXPECT_EQ(cpus("0::/job", {{"/sys/fs/cgroup/job/cpu.max", ""}}), std::nullopt);
  EXPECT_EQ(cpus("0::/job", {{"/sys/fs/cgroup/job/cpu.max", "many 100000"}}), std::nullopt);
  EXPECT_EQ(cpus("0::/job", {{"/sys/fs/cgroup/job/cpu.max", "100000 0"}}), std::nullopt);
  EXPECT_EQ(cpus("no colons\n:\n", {}), std::nullopt);
}

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
