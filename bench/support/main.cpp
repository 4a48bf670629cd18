// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// The main() of every benchmark: Google Benchmark's, which also says what it ran on, and refuses to run on nothing.

#include <tailrace/devices.hpp>

#include "tests/support/device.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) try {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (test::device_count() == 0) {
    std::fputs("no device to measure. Fix: run this where the backend that was built finds one\n", stderr);
    return 1;
  }
  benchmark::AddCustomContext("tailrace_backend", TAILRACE_BACKEND_NAME);
  benchmark::AddCustomContext("device", tailrace::Device{0}.info().name);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
