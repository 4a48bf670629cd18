// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "info.hpp"

#include "table.hpp"

#include <tailrace/tailrace.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace tailrace::tool {
namespace {

std::optional<std::string> environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::nullopt : std::optional<std::string>{text};
}

std::string slots() {
  const auto text = environment("TAILRACE_RING_SLOTS");
  const ParsedSlots parsed = parse_ring_slots(text);
  return std::to_string(parsed.slots) + (text ? " (TAILRACE_RING_SLOTS=" + *text + ")" : " (default)");
}

std::string pinned_budget() {
  const auto text = environment("TAILRACE_PINNED_BUDGET");
  if (!text) return binary_size(default_pinned_budget()) + " (default)";
  try {
    return binary_size(parse_pinned_budget(*text)) + " (TAILRACE_PINNED_BUDGET=" + *text + ")";
  } catch (const Error& error) {
    return std::string{"refused: "} + error.what();
  }
}

std::string self_test() {
  const auto text = environment("TAILRACE_SELF_TEST");
  if (!text) return "not before a runtime is made (default)";
  try {
    return std::string{parse_self_test(*text) ? "" : "not "} + "before a runtime is made (TAILRACE_SELF_TEST=" + *text +
           ")";
  } catch (const Error& error) {
    return std::string{"refused: "} + error.what();
  }
}

/// Some drivers pin host memory by locking it, which this limit bounds.
std::string lock_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return "unknown";
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : binary_size(limit.rlim_cur);
}

bool device_can_more(const DeviceInfo& info) {
  return info.link_max_gbytes_per_s.value_or(0) > info.link_gbytes_per_s.value_or(0);
}

std::vector<TableRow> describe(const Device& device) {
  const DeviceInfo info = device.info();
  std::string link = info.link.empty() ? "unknown" : info.link;
  if (info.link_gbytes_per_s) link += ", " + fixed(*info.link_gbytes_per_s, 1) + " GB/s each way";
  if (device_can_more(info)) link += "; the device can " + info.link_max;
  return {{"device " + std::to_string(device.ordinal()), info.name + " (" + info.architecture + ")"},
          {"  memory", binary_size(info.memory_bytes) + (info.integrated ? ", shared with the host" : "")},
          {"  PCI address", info.pci_address.empty() ? "none" : info.pci_address},
          {"  link", link},
          {"  NUMA node", info.numa_node ? std::to_string(*info.numa_node) : "unknown"}};
}

void print(const std::vector<TableRow>& rows) {
  constexpr std::size_t label_width = 18;
  for (const TableRow& row : rows) {
    std::cout << row[0] << std::string(label_width - std::min(label_width, row[0].size()), ' ') << row[1] << '\n';
  }
}

/// @returns whether it passed
bool print_self_test(const Device& device) {
  const SelfTestReport report = run_self_test(device);
  std::cout << to_string(report) << std::flush;
  return report.passed();
}

}  // namespace

ExitStatus print_info(const InfoOptions& options) {
  print({{"tailrace", std::string{version()}},
         {"backend", std::string{backend_name()}},
         {"runtime", runtime_version()},
         {"driver", driver_version()},
         {"slots of a ring", slots()},
         {"pinned budget", pinned_budget()},
         {"self-test", self_test()},
         {"lock limit", lock_limit()}});
  const int devices = Device::count();
  for (int ordinal = 0; ordinal < devices; ++ordinal) print(describe(Device{ordinal}));
  std::cout.flush();
  bool passed = true;
  for (int ordinal = 0; options.self_test && ordinal < devices; ++ordinal) {
    passed = print_self_test(Device{ordinal}) && passed;
  }
  if (devices > 0) return passed ? ExitStatus::success : ExitStatus::failure;
  static_cast<void>(Device{0});  // its error says whether a device or a driver is missing
  return ExitStatus::no_device;
}

}  // namespace tailrace::tool
