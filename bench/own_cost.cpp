// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// Runs readbacks, or their driver calls alone, for a profiler to count: ci/instructions.sh. Only what happens inside
// measured() is to be counted; its name is known there.
//   own_cost ring|calls COUNT

#include "bench/support/own_cost.hpp"

#include <charconv>
#include <cstdio>
#include <exception>
#include <functional>
#include <string_view>

extern "C" [[gnu::noinline]] void measured(const std::function<void()>& work) { work(); }

int main(int argc, char** argv) try {
  const std::string_view mode = argc == 3 ? argv[1] : "";
  const std::string_view text = argc == 3 ? argv[2] : "";
  std::size_t count = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count);
  if ((mode != "ring" && mode != "calls") || parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) {
    std::fputs("wrong arguments. Fix: own_cost ring|calls COUNT\n", stderr);
    return 2;
  }
  bench::OwnCost cost;
  if (mode == "ring") {
    measured([&] { cost.through_ring(count); });
  } else {
    measured([&] { cost.calls_only(count); });
  }
  std::printf("%s: %zu readbacks of %.2f driver calls\n", mode == "ring" ? "ring" : "calls", count,
              cost.calls_per_readback());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
