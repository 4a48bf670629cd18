// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tool/bench/warnings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tailrace::tool {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A node with which nothing is wrong.
NodeFacts good_node() {
  NodeFacts facts;
  facts.device.numa_node = 1;
  facts.device.link = facts.device.link_max = "PCIe 32.0 GT/s x16";
  facts.device.link_gbytes_per_s = facts.device.link_max_gbytes_per_s = 63;
  facts.cpu_nodes = {0, 1};
  facts.copy_threads = 6;
  facts.pinned_gbytes_per_s = 55;
  return facts;
}

std::vector<std::string> texts(const NodeFacts& facts) {
  std::vector<std::string> found;
  for (const Warning& warning : node_warnings(facts)) found.push_back(warning.text());
  return found;
}

TEST(Warnings, AGoodNodeHasNone) { EXPECT_THAT(texts(good_node()), IsEmpty()); }

TEST(Warnings, WhatIsNotKnownIsNotWarnedOf) {
  NodeFacts facts;
  facts.copy_threads = 5;
  facts.pinned_gbytes_per_s = 55;
  EXPECT_THAT(texts(facts), IsEmpty());
  facts.device.numa_node = 0;
  EXPECT_THAT(texts(facts), IsEmpty()) << "the nodes of the CPUs are not known";
}

TEST(Warnings, OfCpusThatAreAllOnAnotherNode) {
  NodeFacts facts = good_node();
  facts.cpu_nodes = {0, 2};
  EXPECT_THAT(texts(facts), ElementsAre(AllOf(HasSubstr("at NUMA node 1"), HasSubstr("at node 0, 2"),
                                              HasSubstr("Fix: "), HasSubstr("--cpunodebind=1 --membind=1"))));
}

TEST(Warnings, OfALinkThatIsNarrowerOrSlowerThanTheDeviceCan) {
  NodeFacts facts = good_node();
  facts.device.link = "PCIe 32.0 GT/s x8";
  facts.device.link_gbytes_per_s = 31.5;
  facts.pinned_gbytes_per_s = 27;
  EXPECT_THAT(texts(facts),
              ElementsAre(AllOf(HasSubstr("PCIe 32.0 GT/s x8"), HasSubstr("PCIe 32.0 GT/s x16"),
                                HasSubstr("at most 31.5 GB/s instead of 63.0 GB/s"), HasSubstr("Fix: "))));
}

TEST(Warnings, OfTooFewCpusForTheLink) {
  NodeFacts facts = good_node();
  facts.copy_threads = 5;
  EXPECT_THAT(texts(facts), ElementsAre(AllOf(HasSubstr("5 CPUs, and about 6"), HasSubstr("60.0 GB/s of 63.0 GB/s"),
                                              HasSubstr("Fix: "))));
  facts.device.link_gbytes_per_s.reset();
  EXPECT_THAT(texts(facts), IsEmpty()) << "5 are enough for the 55 GB/s that were measured";
  facts.copy_threads = 4;
  EXPECT_THAT(texts(facts), ElementsAre(HasSubstr("48.0 GB/s of 55.0 GB/s")));
}

TEST(Warnings, OfRawCopiesFarBelowTheLink) {
  NodeFacts facts = good_node();
  facts.pinned_gbytes_per_s = 44.2;
  EXPECT_THAT(texts(facts), IsEmpty()) << "70.2 per cent";
  facts.pinned_gbytes_per_s = 31.5;
  EXPECT_THAT(texts(facts),
              ElementsAre(AllOf(HasSubstr("31.5 GB/s only, 50 per cent of the link's 63.0 GB/s"), HasSubstr("Fix: "))));
}

TEST(Warnings, AreAllGivenAtOnce) {
  NodeFacts facts = good_node();
  facts.cpu_nodes = {0};
  facts.device.link_max_gbytes_per_s = 126;
  facts.copy_threads = 1;
  facts.pinned_gbytes_per_s = 1;
  EXPECT_THAT(texts(facts), testing::SizeIs(4));
}

}  // namespace
}  // namespace tailrace::tool
