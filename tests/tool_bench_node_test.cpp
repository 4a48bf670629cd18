// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tool/bench/node.hpp"
#include "tests/support/fake_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>

namespace tailrace::tool {
namespace {

using Cpus = std::set<int>;

TEST(CpuList, IsReadAsTheKernelWritesIt) {
  EXPECT_EQ(parse_cpu_list("0\n"), Cpus({0}));
  EXPECT_EQ(parse_cpu_list("0-3,8,10-11\n"), Cpus({0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(parse_cpu_list("\n"), Cpus{}) << "a node with memory only";
  EXPECT_EQ(parse_cpu_list(""), Cpus{});
}

TEST(CpuList, NothingElseIsTakenForOne) {
  for (const char* text : {"x", "1,", ",1", "1-", "-1", "3-1", "1 2", "0-99999999", "99999999999", "1--2", "0x1"}) {
    EXPECT_EQ(parse_cpu_list(text), std::nullopt) << text;
  }
}

TEST(NumaNodes, AreThoseOfTheCpus) {
  const test::FakeFolder nodes{{{"node0/cpulist", "0-3,8-11\n"},
                                {"node1/cpulist", "4-7\n"},
                                {"node2/cpulist", "\n"},
                                {"node10/cpulist", "12\n"},
                                {"node3/cpulist", "rubbish\n"},
                                {"nodes/cpulist", "0-12\n"},
                                {"node4/other", "0-12\n"},
                                {"online", "0-2\n"}}};
  EXPECT_EQ(numa_nodes_of({0}, nodes.path()), std::set({0}));
  EXPECT_EQ(numa_nodes_of({5, 6}, nodes.path()), std::set({1}));
  EXPECT_EQ(numa_nodes_of({3, 4, 12}, nodes.path()), std::set({0, 1, 10}));
  EXPECT_EQ(numa_nodes_of({99}, nodes.path()), std::set<int>{});
  EXPECT_EQ(numa_nodes_of({}, nodes.path()), std::set<int>{});
}

TEST(NumaNodes, AreUnknownWhereTheKernelDoesNotSay) { EXPECT_EQ(numa_nodes_of({0}, "/nonexistent"), std::set<int>{}); }

TEST(AffinityCpus, AreThere) { EXPECT_FALSE(affinity_cpus().empty()); }

TEST(AvailableMemory, IsWhatTheKernelReckons) {
  const test::FakeFolder folder{{{"meminfo", "MemTotal:  2048 kB\nMemFree:  7 kB\nMemAvailable:   1024 kB\n"},
                                 {"huge", "MemAvailable:   9999999999999 kB\n"},
                                 {"old", "MemTotal:  2048 kB\n"}}};
  EXPECT_EQ(available_host_memory(folder.path() / "meminfo"), 1024U * 1024U);
  const std::size_t allowed = available_host_memory("/nonexistent");
  EXPECT_GT(allowed, 0U);
  EXPECT_EQ(available_host_memory(folder.path() / "huge"), allowed) << "not more than the process may have";
  EXPECT_EQ(available_host_memory(folder.path() / "old"), allowed);
}

}  // namespace
}  // namespace tailrace::tool
