// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/soak/usage.hpp"

#include <tailrace/config.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace soak {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool judges_resident_memory = false;  // sanitizers keep what was freed
#else
constexpr bool judges_resident_memory = true;
#endif
#ifdef TAILRACE_BACKEND_HOST
constexpr bool touched_when_pinned = false;
#else
constexpr bool touched_when_pinned = true;
#endif

std::size_t entries(const char* folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{folder}, {}));
}

}  // namespace

Usage usage_now(std::size_t pinned_bytes) {
  std::size_t pages = 0;
  std::ifstream statm{"/proc/self/statm"};
  statm >> pages >> pages;
  statm.close();
  return {.resident_bytes = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)),
          .pinned_bytes = pinned_bytes,
          .handles = entries("/proc/self/fd"),
          .threads = entries("/proc/self/task")};
}

Usage most_of(const Usage& one, const Usage& other) {
  return {.resident_bytes = std::max(one.resident_bytes, other.resident_bytes),
          .pinned_bytes = std::max(one.pinned_bytes, other.pinned_bytes),
          .handles = std::max(one.handles, other.handles),
          .threads = std::max(one.threads, other.threads)};
}

std::string grown(const Usage& warm, const Usage& later, std::size_t pinned_bound) {
  constexpr std::size_t heap_slack = std::size_t{64} << 20;
  constexpr std::size_t more_handles = 16;
  constexpr std::size_t more_threads = 64;
  const std::size_t touched = touched_when_pinned ? warm.pinned_bytes : 0;
  const std::size_t more_pinned = std::max(later.pinned_bytes, touched) - touched;
  const auto mebibytes = [](std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; };
  std::string found;
  if (judges_resident_memory && later.resident_bytes > warm.resident_bytes + more_pinned + heap_slack) {
    found += "resident memory from " + mebibytes(warm.resident_bytes) + " to " + mebibytes(later.resident_bytes) + "; ";
  }
  if (later.pinned_bytes > pinned_bound) {
    found += "pinned memory of " + mebibytes(later.pinned_bytes) + " beyond " + mebibytes(pinned_bound) + "; ";
  }
  if (later.handles > warm.handles + more_handles) {
    found += "handles from " + std::to_string(warm.handles) + " to " + std::to_string(later.handles) + "; ";
  }
  if (later.threads > warm.threads + more_threads) {
    found += "threads from " + std::to_string(warm.threads) + " to " + std::to_string(later.threads) + "; ";
  }
  return found;
}

}  // namespace soak
