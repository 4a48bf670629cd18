// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tool/bench/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace tailrace::tool {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

BenchReport example() {
  BenchReport report;
  report.version = "1.2.3";
  report.backend = "cuda";
  report.runtime = "13.0";
  report.driver = "580.1";
  report.ordinal = 1;
  report.device.name = "A \"device\"\\";
  report.device.architecture = "sm_90";
  report.device.memory_bytes = 1000;
  report.device.numa_node = 0;
  report.device.link = "PCIe 32.0 GT/s x16";
  report.device.link_gbytes_per_s = 62.5;
  report.copy_threads = 16;
  report.cpu_nodes = {0, 1};
  report.seconds_asked = 20;
  report.seconds_taken = 19.5;
  report.figures = {
      {.name = "raw_pinned", .label = "raw", .bytes = 64, .samples = {50, 40, 60}},
      {.name = "plain_pageable", .label = "plain", .bytes = 64, .samples = {10, 10}},
      {.name = "tailrace_pageable", .label = "ours", .bytes = 64, .plain = "plain_pageable", .samples = {44, 45, 46}},
      {.name = "rate", .label = "many", .quantity = Quantity::rate, .bytes = 8, .samples = {123456.4}},
      {.name = "slow", .label = "one, plain", .quantity = Quantity::latency, .bytes = 8, .samples = {12}},
      {.name = "fast",
       .label = "one, ours",
       .quantity = Quantity::latency,
       .bytes = 8,
       .plain = "slow",
       .samples = {8.0, 8.0}},
  };
  report.notes = {"a note"};
  report.warnings = {{"seen", "cost", "fix it"}};
  return report;
}

TEST(Summary, IsTheMedianAndTheEnds) {
  const Summary odd = summarize(std::vector<double>{3, 1, 2});
  EXPECT_EQ(odd.median, 2);
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.max, 3);
  EXPECT_EQ(summarize(std::vector<double>{4, 1, 3, 2}).median, 2.5);
  EXPECT_EQ(summarize(std::vector<double>{7}).median, 7);
}

TEST(Advantage, IsAboveOneWhereOursIsBetter) {
  const BenchReport report = example();
  const auto figure = [&](const char* name) { return *find_figure(report.figures, name); };
  EXPECT_DOUBLE_EQ(advantage(figure("tailrace_pageable"), figure("plain_pageable")), 4.5);
  EXPECT_DOUBLE_EQ(advantage(figure("fast"), figure("slow")), 1.5) << "less is better";
  EXPECT_EQ(find_figure(report.figures, "none"), nullptr);
  EXPECT_EQ(find_figure(report.figures, ""), nullptr);
}

TEST(BenchText, HasTheFiguresAndTheirLimits) {
  EXPECT_EQ(bench_text(example()),
            "device 1: A \"device\"\\ (cuda, sm_90), at NUMA node 0\n"
            "link: PCIe 32.0 GT/s x16, 62.5 GB/s each way\n"
            "CPUs for copies: 16, of NUMA nodes 0, 1\n"
            "\n"
            "                median          min .. max  of pinned  of link  against plain\n"
            "raw         50.00 GB/s      40.00 .. 60.00      100 %     80 %\n"
            "plain       10.00 GB/s      10.00 .. 10.00       20 %     16 %\n"
            "ours        45.00 GB/s      44.00 .. 46.00       90 %     72 %          4.5 x\n"
            "many        123,456 /s  123,456 .. 123,456\n"
            "one, plain    12.00 us      12.00 .. 12.00\n"
            "one, ours      8.00 us        8.00 .. 8.00                              1.5 x\n"
            "\n"
            "Note: a note.\n");
}

TEST(BenchText, WithoutALinkHasNoPartOfIt) {
  BenchReport report = example();
  report.device.link.clear();
  report.device.link_gbytes_per_s.reset();
  EXPECT_THAT(bench_text(report), testing::AllOf(HasSubstr("link: unknown\n"), Not(HasSubstr("80 %"))));
}

TEST(BenchJson, HasEverything) {
  const json report = json::parse(bench_json(example()));
  EXPECT_EQ(report["tailrace_version"], "1.2.3");
  EXPECT_EQ(report["backend"], "cuda");
  EXPECT_EQ(report["runtime_version"], "13.0");
  EXPECT_EQ(report["driver_version"], "580.1");
  EXPECT_EQ(report["device"]["ordinal"], 1);
  EXPECT_EQ(report["device"]["name"], "A \"device\"\\");
  EXPECT_EQ(report["device"]["memory_bytes"], 1000);
  EXPECT_EQ(report["device"]["link_gbytes_per_s"], 62.5);
  EXPECT_TRUE(report["device"]["link_max"].is_null());
  EXPECT_TRUE(report["device"]["link_max_gbytes_per_s"].is_null());
  EXPECT_TRUE(report["device"]["pci_address"].is_null());
  EXPECT_EQ(report["process"]["numa_nodes"], json({0, 1}));
  EXPECT_EQ(report["process"]["copy_threads"], 16);
  EXPECT_EQ(report["seconds_asked"], 20);
  EXPECT_EQ(report["seconds_taken"], 19.5);
  EXPECT_EQ(report["notes"], json({"a note"}));
  EXPECT_EQ(report["warnings"], json::parse(R"([{"seen": "seen", "cost": "cost", "fix": "fix it"}])"));
}

TEST(BenchJson, FiguresHaveTheirUnitsInTheirNames) {
  const json figures = json::parse(bench_json(example()))["figures"];
  EXPECT_EQ(figures.size(), 6U);
  EXPECT_EQ(figures["tailrace_pageable"], json::parse(R"({
    "label": "ours", "bytes": 64, "repetitions": 3,
    "median_gbytes_per_s": 45.0, "min_gbytes_per_s": 44.0, "max_gbytes_per_s": 46.0,
    "percent_of_raw_pinned": 90.0, "percent_of_link": 72.0,
    "times_better_than": {"name": "plain_pageable", "factor": 4.5}})"));
  EXPECT_EQ(figures["rate"], json::parse(R"({
    "label": "many", "bytes": 8, "repetitions": 1,
    "median_readbacks_per_s": 123456.4, "min_readbacks_per_s": 123456.4, "max_readbacks_per_s": 123456.4})"));
  EXPECT_EQ(figures["fast"]["median_us"], 8.0);
  EXPECT_EQ(figures["fast"]["times_better_than"], json::parse(R"({"name": "slow", "factor": 1.5})"));
}

TEST(BenchJson, IsValidWhateverTheDriverCallsTheDevice) {
  BenchReport report = example();
  report.device.name = "\xff\x01\n";
  EXPECT_TRUE(json::accept(bench_json(report)));
}

}  // namespace
}  // namespace tailrace::tool
