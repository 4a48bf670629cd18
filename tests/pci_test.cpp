// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "backends/gpu/pci.hpp"
#include "tests/support/fake_folder.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace tailrace::backend {
namespace {

DeviceInfo describe(const std::map<std::string, std::string>& attributes) {
  std::map<std::string, std::string> files;
  for (const auto& [name, text] : attributes) files["0000:3b:00.0/" + name] = text + "\n";
  const test::FakeFolder folder{files};
  DeviceInfo info;
  describe_pci("0000:3b:00.0", info, folder.path().string());
  return info;
}

TEST(Pci, SaysHowTheLinkRunsAndWhatTheDeviceCan) {
  const DeviceInfo info = describe({{"numa_node", "1"},
                                    {"current_link_speed", "16.0 GT/s PCIe"},
                                    {"current_link_width", "8"},
                                    {"max_link_speed", "32.0 GT/s PCIe"},
                                    {"max_link_width", "16"}});
  EXPECT_EQ(info.pci_address, "0000:3b:00.0");
  EXPECT_EQ(info.numa_node, 1);
  EXPECT_EQ(info.link, "PCIe 16.0 GT/s x8");
  EXPECT_NEAR(info.link_gbytes_per_s.value_or(0), 15.75, 0.01);
  EXPECT_EQ(info.link_max, "PCIe 32.0 GT/s x16");
  EXPECT_NEAR(info.link_max_gbytes_per_s.value_or(0), 63.02, 0.01);
}

TEST(Pci, OldLinksSpendMoreOnTheirCode) {
  const DeviceInfo info = describe({{"current_link_speed", "5.0 GT/s PCIe"}, {"current_link_width", "16"}});
  EXPECT_NEAR(info.link_gbytes_per_s.value_or(0), 8.0, 0.01);
  EXPECT_EQ(info.link_max, "");
  EXPECT_FALSE(info.link_max_gbytes_per_s);
}

TEST(Pci, WhatTheKernelDoesNotTellStaysEmpty) {
  for (const auto& [speed, width] : std::map<std::string, std::string>{{"Unknown", "16"}, {"32.0 GT/s PCIe", "0"}}) {
    const DeviceInfo info = describe({{"numa_node", "-1"},
                                      {"current_link_speed", speed},
                                      {"current_link_width", width},
                                      {"max_link_speed", speed},
                                      {"max_link_width", width}});
    EXPECT_FALSE(info.numa_node);
    EXPECT_EQ(info.link, "");
    EXPECT_FALSE(info.link_gbytes_per_s);
    EXPECT_EQ(info.link_max, "");
    EXPECT_FALSE(info.link_max_gbytes_per_s);
  }
  EXPECT_EQ(describe({}).pci_address, "0000:3b:00.0");
}

}  // namespace
}  // namespace tailrace::backend
