// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "tests/support/copies.hpp"
#include "tests/support/device.hpp"

#include <tailrace/devices.hpp>
#include <tailrace/view.hpp>

#include <time.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

/// @file
/// What the tests of ring sets, large reads and the runtime have in common.

namespace test {

using tailrace::test::error_of;
using tailrace::test::Gate;
using tailrace::test::Log;

/// Bytes that differ from one place, and from one seed, to the next.
inline std::vector<std::byte> pattern(std::size_t bytes, unsigned seed = 0) {
  std::vector<std::byte> filled(bytes);
  for (std::size_t i = 0; i < bytes; ++i) filled[i] = static_cast<std::byte>(i * 7 + i / 251 + seed * 41);
  return filled;
}

/// Device memory with these bytes.
inline Buffer on_device(std::span<const std::byte> bytes) {
  Buffer buffer{bytes.size()};
  buffer.upload(bytes);
  return buffer;
}

inline tailrace::DeviceView view(const Buffer& buffer) { return {buffer.data(), buffer.size()}; }

/// The eight bytes at an offset, as stamp() writes them.
inline std::uint64_t word(std::span<const std::byte> bytes, std::size_t offset = 0) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Every word has this value.
inline bool all_words_are(std::span<const std::byte> bytes, std::uint64_t value) {
  for (std::size_t offset = 0; offset + sizeof value <= bytes.size(); offset += sizeof value) {
    if (word(bytes, offset) != value) return false;
  }
  return true;
}

/// What share of one core the calling thread uses, from the construction on.
class CpuShare {
 public:
  [[nodiscard]] double now() const { return (cpu_time() - cpu_) / (wall_time() - wall_); }

 private:
  static double seconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  static double cpu_time() { return seconds(CLOCK_THREAD_CPUTIME_ID); }
  static double wall_time() { return seconds(CLOCK_MONOTONIC); }

  double cpu_ = cpu_time();
  double wall_ = wall_time();
};

/// What a sleeping waiter may use of a core at most. One that spins uses all of it.
inline constexpr double small_share = 0.4;

}  // namespace test
