// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/self_test.hpp>

#include "backends/adapter.hpp"
#include "src/process.hpp"
#include "src/self_test_paths.hpp"

#include <algorithm>
#include <atomic>

namespace tailrace::inline TAILRACE_ABI {

namespace {

std::string hexadecimal(std::byte byte) {
  constexpr const char* digits = "0123456789abcdef";
  const auto value = std::to_integer<unsigned>(byte);
  return {'0', 'x', digits[value / 16], digits[value % 16]};
}

std::string describe(const WrongByte& wrong) {
  return "byte " + std::to_string(wrong.offset) + " of a readback of " + std::to_string(wrong.readback) +
         " bytes: expected " + hexadecimal(wrong.expected) + ", found " + hexadecimal(wrong.found);
}

SelfTestPath try_path(const detail::TestedPath& tested, detail::SelfTestBed& bed) {
  SelfTestPath path{.name = tested.name};
  try {
    bed.settle();  // what a path that failed left enqueued
    tested.read(bed, path);
  } catch (const Error& error) {
    path.failure = error;
  }
  return path;
}

/// Devices that passed in this process, by ordinal. Those from 64 on are not remembered, and are tested every time.
std::atomic<std::uint64_t> passed_devices{0};

std::uint64_t bit(Device device) noexcept { return device.ordinal() < 64 ? std::uint64_t{1} << device.ordinal() : 0; }

}  // namespace

bool SelfTestReport::passed() const noexcept {
  return !paths.empty() && std::ranges::all_of(paths, [](const SelfTestPath& path) { return path.passed(); });
}

SelfTestReport run_self_test(Device device) {
  detail::ProcessGuard{}.check("self_test");
  SelfTestReport report{.device = device.ordinal()};
  detail::SelfTestBed bed{device};
  for (const detail::TestedPath& tested : detail::tested_paths()) {
    report.paths.push_back(try_path(tested, bed));
    const std::optional<Error>& failure = report.paths.back().failure;
    if (failure && failure->errc() == Errc::device_lost) break;  // nothing else would be said of the other paths
  }
  return report;
}

void require_self_test(Device device) {
  if ((passed_devices & bit(device)) != 0) return;
  const SelfTestReport report = run_self_test(device);
  for (const SelfTestPath& path : report.paths) {
    if (path.failure) throw Error{*path.failure};
    if (!path.wrong) continue;
    throw Error{Errc::self_test_failed,
                "device " + std::to_string(report.device) + " delivers wrong bytes on the path '" + path.name + "', " +
                    describe(*path.wrong),
                backend::wrong_copies_advice,
                {.operation = "self_test"}};
  }
  passed_devices |= bit(device);
}

std::string to_string(const SelfTestReport& report) {
  std::size_t width = 0;
  for (const SelfTestPath& path : report.paths) width = std::max(width, path.name.size());
  std::string text = "self-test of device " + std::to_string(report.device) + "\n";
  for (const SelfTestPath& path : report.paths) {
    std::string result = std::to_string(path.bytes) + " bytes right";
    if (path.bytes == 0) result = "nothing was compared";
    if (path.wrong) result = "WRONG: " + describe(*path.wrong);
    if (path.failure) result = std::string{"FAILED: "} + path.failure->what();
    text += "  " + path.name + std::string(width - path.name.size() + 2, ' ') + result + "\n";
  }
  return text;
}

}  // namespace tailrace::inline TAILRACE_ABI
