// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/devices.hpp>
#include <tailrace/runtime.hpp>

#include "tests/soak/tally.hpp"
#include "tests/support/device.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace soak {

/// A device array in which no two places are alike, so that a readback shows by its bytes alone that they are those
/// that were asked for. It is written once: a submission costs the device no kernel.
class Stamps {
 public:
  explicit Stamps(std::size_t bytes) : reference_(bytes), device_{bytes} {
    for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
      const std::uint64_t value = mixed(at);
      std::memcpy(reference_.data() + at, &value, sizeof value);
    }
    device_.upload(reference_);
  }
  [[nodiscard]] std::size_t size() const { return reference_.size(); }
  [[nodiscard]] tailrace::DeviceView view(std::size_t offset, std::size_t bytes) const {
    return {device_.data(), offset, bytes};
  }
  [[nodiscard]] bool are(std::span<const std::byte> bytes, std::size_t offset) const {
    return std::memcmp(bytes.data(), reference_.data() + offset, bytes.size()) == 0;
  }

 private:
  // SplitMix64.
  static std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
  }

  std::vector<std::byte> reference_;
  test::Buffer device_;
};

struct Options {
  unsigned threads = 1;
  std::uint64_t seed = 1;
  double seconds = 10;
  bool faults = false;
};

/// What all threads share.
struct World {
  explicit World(const Options& chosen) : options{chosen} {}

  [[nodiscard]] tailrace::LogHandler log() {
    return [this](tailrace::LogLevel level, std::string_view text) {
      if (level != tailrace::LogLevel::info && !options.faults) complaints.add(text);
    };
  }
  /// Adds the counters of a ring that came and went.
  void add(const tailrace::Statistics& statistics) {
    const std::lock_guard lock{mutex};
    of_past_rings += statistics;
  }

  const Options options;
  Complaints complaints{};
  Stamps stamps{std::size_t{32} << 20};
  tailrace::Device device{0};
  tailrace::Runtime runtime{device, {.rings = {.lanes = options.threads}, .log = log()}};
  /// So small that its rings drive each other out.
  tailrace::RingSet tight{
      device, {.name = "tight", .slots_per_ring = 4, .pinned_budget = std::size_t{2} << 20, .lanes = 2, .log = log()}};
  /// One for all threads.
  tailrace::ReadbackRing contended{device, {.name = "contended", .log = log()}};

  std::mutex mutex{};
  tailrace::Statistics of_past_rings{};  ///< guarded by the mutex
};

}  // namespace soak
