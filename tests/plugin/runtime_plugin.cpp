// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// A plugin that uses a runtime, and is its only user.

#include <tailrace/runtime.hpp>

#include "tests/support/device.hpp"

#include <cstddef>
#include <vector>

/// Reads in every way and ends everything again. Returns 0 if it was right, or if there is no device.
extern "C" TAILRACE_EXPORT int plugin_run() {
  if (test::device_count() == 0) return 0;
  constexpr std::size_t words = 5000;
  test::Stream stream;
  test::Buffer source{words * sizeof(std::uint64_t)};
  test::stamp(source, 0, words, 42, stream);
  const tailrace::DeviceView all{source.data(), source.size()};
  tailrace::Runtime runtime{tailrace::Device{0}, {.rings = {.slots_per_ring = 4}, .chunk_bytes = 4096}};
  std::vector<std::uint64_t> array(words);
  runtime.async_read("array", array, all, stream);
  runtime.async_wait("array");
  std::vector<std::uint64_t> again;
  runtime.collect(runtime.submit(all, stream), again);
  return array == again && array == std::vector<std::uint64_t>(words, 42) ? 0 : 1;
}
