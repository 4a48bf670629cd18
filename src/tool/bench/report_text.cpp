// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "../table.hpp"
#include "report.hpp"

#include <cmath>
#include <cstdint>

namespace tailrace::tool {
namespace {

/// A number of the figure's quantity, without the unit.
std::string number(Quantity quantity, double value) {
  if (quantity == Quantity::rate) return grouped(static_cast<std::uint64_t>(std::llround(value)));
  return fixed(value, 2);
}

const char* unit(Quantity quantity) {
  switch (quantity) {
    case Quantity::bandwidth: return " GB/s";
    case Quantity::rate: return " /s";
    case Quantity::latency: return " us";
  }
  return "";
}

std::string percent(double value) { return fixed(value, 0) + " %"; }

TableRow row(const BenchReport& report, const Figure& figure) {
  const Summary summary = summarize(figure.samples);
  TableRow cells{figure.label, number(figure.quantity, summary.median) + unit(figure.quantity),
                 number(figure.quantity, summary.min) + " .. " + number(figure.quantity, summary.max)};
  const bool bandwidth = figure.quantity == Quantity::bandwidth;
  const auto link = report.device.link_gbytes_per_s;
  cells.push_back(bandwidth ? percent(percent_of_pinned(report, figure)) : "");
  cells.push_back(bandwidth && link ? percent(100 * summary.median / *link) : "");
  const Figure* plain = find_figure(report.figures, figure.plain);
  cells.push_back(plain != nullptr ? fixed(advantage(figure, *plain), 1) + " x" : "");
  return cells;
}

std::string description(const BenchReport& report) {
  const DeviceInfo& device = report.device;
  std::string link = device.link.empty() ? "unknown" : device.link;
  if (device.link_gbytes_per_s) link += ", " + fixed(*device.link_gbytes_per_s, 1) + " GB/s each way";
  std::string nodes;
  for (const int node : report.cpu_nodes) nodes += (nodes.empty() ? ", of NUMA nodes " : ", ") + std::to_string(node);
  return "device " + std::to_string(report.ordinal) + ": " + device.name + " (" + report.backend + ", " +
         device.architecture + ")" +
         (device.numa_node ? ", at NUMA node " + std::to_string(*device.numa_node) : std::string{}) +
         "\nlink: " + link + "\nCPUs for copies: " + std::to_string(report.copy_threads) + nodes + "\n";
}

}  // namespace

double percent_of_pinned(const BenchReport& report, const Figure& figure) {
  const Figure* raw = find_figure(report.figures, "raw_pinned");
  return 100 * summarize(figure.samples).median / summarize(raw->samples).median;
}

std::string bench_text(const BenchReport& report) {
  std::vector<TableRow> rows{{"", "median", "min .. max", "of pinned", "of link", "against plain"}};
  for (const Figure& figure : report.figures) rows.push_back(row(report, figure));
  std::string text = description(report) + "\n" + format_table(rows) + "\n";
  for (const std::string& note : report.notes) text += "Note: " + note + ".\n";
  return text;
}

}  // namespace tailrace::tool
