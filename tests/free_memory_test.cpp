// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/free_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tailrace::detail {
namespace {

using Files = std::map<std::string, std::string>;

std::optional<std::uint64_t> left(const Files& files) {
  const ReadFile read = [files](const std::string& path) -> std::optional<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return std::nullopt;
    return found->second;
  };
  return free_memory(ControlGroups{"0::/job\n", read}, read);
}

const std::string machine = "MemTotal:       9000 kB\nMemFree:  10 kB\nMemAvailable:     200 kB\n";

TEST(FreeMemory, IsWhatTheMachineHasAvailable) { EXPECT_EQ(left({{"/proc/meminfo", machine}}), 200U * 1024U); }

TEST(FreeMemory, IsWhatTheControlGroupLeavesIfThatIsLess) {
  EXPECT_EQ(left({{"/proc/meminfo", machine},
                  {"/sys/fs/cgroup/job/memory.max", "100000"},
                  {"/sys/fs/cgroup/job/memory.current", "70000"}}),
            30'000U);
  EXPECT_EQ(left({{"/proc/meminfo", machine},
                  {"/sys/fs/cgroup/job/memory.max", "1000000"},
                  {"/sys/fs/cgroup/job/memory.current", "0"}}),
            200U * 1024U);
  EXPECT_EQ(left({{"/sys/fs/cgroup/job/memory.max", "5"}, {"/sys/fs/cgroup/job/memory.current", "1"}}), 4U);
}

TEST(FreeMemory, IsUnknownWhereTheSystemDoesNotSay) { EXPECT_EQ(left({}), std::nullopt); }

TEST(FreeMemory, IsKnownOnThisMachine) { EXPECT_GT(free_memory().value_or(0), 0U); }

}  // namespace
}  // namespace tailrace::detail
