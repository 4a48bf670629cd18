// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/cgroup.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tailrace::detail {
namespace {

using Files = std::map<std::string, std::string>;
using Limit = std::optional<std::uint64_t>;

ControlGroups groups(std::string_view membership, const Files& files) {
  return {std::string{membership}, [files](const std::string& path) -> std::optional<std::string> {
            const auto found = files.find(path);
            if (found == files.end()) return std::nullopt;
            return found->second;
          }};
}

Limit cpus(std::string_view membership, const Files& files) { return groups(membership, files).cpus(); }
Limit memory(std::string_view membership, const Files& files) { return groups(membership, files).memory(); }

TEST(CpuQuota, WithoutAControlGroupThereIsNoQuota) {
  EXPECT_EQ(cpus("", {}), std::nullopt);
  EXPECT_EQ(cpus("0::/\n", {}), std::nullopt);
}

TEST(CpuQuota, AVersion2QuotaIsRoundedDownButNotToNothing) {
  EXPECT_EQ(cpus("0::/job\n", {{"/sys/fs/cgroup/job/cpu.max", "350000 100000\n"}}), 3);
  EXPECT_EQ(cpus("0::/job\n", {{"/sys/fs/cgroup/job/cpu.max", "50000 100000\n"}}), 1);
  EXPECT_EQ(cpus("0::/job\n", {{"/sys/fs/cgroup/job/cpu.max", "max 100000\n"}}), std::nullopt);
}

TEST(CpuQuota, AQuotaOfAnyGroupAboveCounts) {
  EXPECT_EQ(cpus("0::/a/b/c\n", {{"/sys/fs/cgroup/a/b/c/cpu.max", "800000 100000"},
                                 {"/sys/fs/cgroup/a/b/cpu.max", "max 100000"},
                                 {"/sys/fs/cgroup/a/cpu.max", "200000 100000"}}),
            2);
}

TEST(CpuQuota, AContainersQuotaIsAtTheRootThatItSees) {
  EXPECT_EQ(cpus("0::/not/visible\n", {{"/sys/fs/cgroup/cpu.max", "400000 100000"}}), 4);
}

TEST(CpuQuota, AVersion1QuotaIsRead) {
  const std::string membership = "4:memory:/job\n3:cpu,cpuacct:/job\n2:cpuset:/job\n1:name=systemd:/\n";
  EXPECT_EQ(cpus(membership, {{"/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "600000\n"},
                              {"/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n"}}),
            6);
  EXPECT_EQ(cpus("1:cpu:/job\n", {{"/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n"},
                                  {"/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n"}}),
            std::nullopt);
  EXPECT_EQ(cpus("1:cpuset:/job\n", {{"/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "100000\n"},
                                     {"/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n"}}),
            std::nullopt);
}

TEST(CpuQuota, WhatCannotBeReadIsNoQuota) {
  EXPECT_EQ(cpus("0::/job", {{"/sys/fs/cgroup/job/cpu.max", ""}}), std::nullopt);
  EXPECT_EQ(cpus("0::/job", {{"/sys/fs/cgroup/job/cpu.max", "many 100000"}}), std::nullopt);
  EXPECT_EQ(cpus("0::/job", {{"/sys/fs/cgroup/job/cpu.max", "100000 0"}}), std::nullopt);
  EXPECT_EQ(cpus("no colons\n:\n", {}), std::nullopt);
}

TEST(CpuQuota, AGroupThatIsNoPathLeavesTheRoot) {
  for (const char* membership : {"0::job/a\n", "0::-~a/b\n", "0::job\n", "0:://\n"}) {
    EXPECT_EQ(cpus(membership, {{"/sys/fs/cgroup/cpu.max", "400000 100000"}}), 4) << membership;
  }
}

TEST(MemoryLimit, OfVersion2IsTheTightestOfTheGroupAndThoseAbove) {
  EXPECT_EQ(memory("0::/a/b\n", {{"/sys/fs/cgroup/a/b/memory.max", "max\n"},
                                 {"/sys/fs/cgroup/a/memory.max", "1073741824\n"},
                                 {"/sys/fs/cgroup/memory.max", "2147483648\n"}}),
            std::uint64_t{1} << 30);
  EXPECT_EQ(memory("0::/a\n", {{"/sys/fs/cgroup/a/memory.max", "max\n"}}), std::nullopt);
}

TEST(MemoryLimit, OfAContainerIsAtTheRootThatItSees) {
  EXPECT_EQ(memory("0::/not/visible\n", {{"/sys/fs/cgroup/memory.max", "4096"}}), 4096);
  EXPECT_EQ(memory("5:memory:/not/visible\n", {{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "8192"}}), 8192);
}

TEST(MemoryLimit, OfVersion1IsThatOfTheMemoryController) {
  const Files files{{"/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000\n"},
                    {"/sys/fs/cgroup/cpu/job/memory.limit_in_bytes", "1\n"}};
  EXPECT_EQ(memory("4:memory:/job\n3:cpu:/job\n", files), 1000);
  EXPECT_EQ(memory("3:cpu:/job\n2:memory2:/job\n", files), std::nullopt);
}

TEST(MemoryLimit, WhatCannotBeReadIsNoLimit) {
  EXPECT_EQ(memory("0::/job", {{"/sys/fs/cgroup/job/memory.max", ""}}), std::nullopt);
  EXPECT_EQ(memory("0::/job", {{"/sys/fs/cgroup/job/memory.max", "much"}}), std::nullopt);
  EXPECT_EQ(memory("no colons\n:\n", {}), std::nullopt);
}

Limit memory_left(std::string_view membership, const Files& files) { return groups(membership, files).memory_left(); }

TEST(MemoryLeft, IsWhatUsageLeavesOfTheLimit) {
  EXPECT_EQ(memory_left("0::/job\n",
                        {{"/sys/fs/cgroup/job/memory.max", "1000\n"}, {"/sys/fs/cgroup/job/memory.current", "300\n"}}),
            700);
  EXPECT_EQ(memory_left("4:memory:/job\n", {{"/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000\n"},
                                            {"/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "400\n"}}),
            600);
}

TEST(MemoryLeft, IsTheLeastOfAllGroupsAlsoOfOneWithAWiderLimit) {
  EXPECT_EQ(memory_left("0::/a/b\n", {{"/sys/fs/cgroup/a/b/memory.max", "1000"},
                                      {"/sys/fs/cgroup/a/b/memory.current", "100"},
                                      {"/sys/fs/cgroup/a/memory.max", "2000"},
                                      {"/sys/fs/cgroup/a/memory.current", "1950"}}),
            50);
}

TEST(MemoryLeft, DoesNotCountPagesOfFilesAsUsed) {
  EXPECT_EQ(
      memory_left("0::/job\n", {{"/sys/fs/cgroup/job/memory.max", "1000"},
                                {"/sys/fs/cgroup/job/memory.current", "990"},
                                {"/sys/fs/cgroup/job/memory.stat", "file 900\ninactive_file 500\nactive_file 90\n"}}),
      600);
  EXPECT_EQ(memory_left("4:memory:/job\n", {{"/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000"},
                                            {"/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "990"},
                                            {"/sys/fs/cgroup/memory/job/memory.stat",
                                             "active_file 1\ntotal_inactive_file 400\ntotal_active_file 50\n"}}),
            460);
}

TEST(MemoryLeft, IsNeverMoreThanTheLimitNorLessThanNothing) {
  EXPECT_EQ(memory_left("0::/job\n",
                        {{"/sys/fs/cgroup/job/memory.max", "1000"}, {"/sys/fs/cgroup/job/memory.current", "1200"}}),
            0);
  EXPECT_EQ(memory_left("0::/job\n", {{"/sys/fs/cgroup/job/memory.max", "1000"},
                                      {"/sys/fs/cgroup/job/memory.current", "5"},
                                      {"/sys/fs/cgroup/job/memory.stat", "active_file 50"}}),
            1000);
  EXPECT_EQ(memory_left("0::/job\n", {{"/sys/fs/cgroup/job/memory.max", "1000"}}), 1000);
}

TEST(MemoryLeft, WithoutALimitIsUnknown) {
  EXPECT_EQ(
      memory_left("0::/job\n", {{"/sys/fs/cgroup/job/memory.max", "max"}, {"/sys/fs/cgroup/job/memory.current", "5"}}),
      std::nullopt);
  EXPECT_EQ(memory_left("", {}), std::nullopt);
}

}  // namespace
}  // namespace tailrace::detail
