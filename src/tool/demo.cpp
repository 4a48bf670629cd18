// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "demo.hpp"

#include "compare.hpp"
#include "frame_directory.hpp"
#include "heat.hpp"
#include "input.hpp"
#include "run.hpp"
#include "table.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>

namespace tailrace::tool {
namespace {

Grid initial_grid(const DemoOptions& options) {
  const Grid input = read_input(options.input);
  const Size size = options.size.value_or(Size{input.width, input.height});
  Grid grid = resample(input, size.width, size.height);
  // Made smaller, a picture may lose all its contrast.
  check_cells(options.input.string(), grid);
  return grid;
}

RunPlan make_plan(const DemoOptions& options, Device device, const Grid& initial) {
  const auto [low, high] = std::minmax_element(initial.cells.begin(), initial.cells.end());
  return {device, initial, {initial.width, initial.height, *low, *high}, options.steps, options.every};
}

RunResult run(const char* label, decltype(run_blocking)& function, const RunPlan& plan,
              const std::filesystem::path& frames) {
  Progress progress{label, plan.steps, stderr};
  return function(plan, frames, progress);
}

/// The first step loads the kernels; that belongs to neither run.
void warm_up(const Grid& initial) {
  HeatSolver solver{initial.cells, initial.width, initial.height};
  solver.step();
  solver.synchronize();
}

void describe(const DemoOptions& options, const RunPlan& plan) {
  const DeviceInfo info = plan.device.info();
  std::cout << "device " << plan.device.ordinal() << ": " << info.name << " (" << backend_name() << ", "
            << info.architecture << ")\n"
            << "grid " << plan.format.width << " x " << plan.format.height << " from " << options.input.string()
            << ", temperatures " << plan.format.low << " to " << plan.format.high << '\n'
            << plan.steps << " steps, a frame every " << plan.every << '\n'
            << std::flush;
}

void print_table(const RunPlan& plan, const RunResult& blocking, const RunResult& overlapped) {
  const auto steps = static_cast<double>(plan.steps);
  const auto count = [](std::optional<std::uint64_t> number) { return number ? grouped(*number) : "-"; };
  const auto gigabytes = [](std::uint64_t bytes) { return fixed(static_cast<double>(bytes) / 1e9, 3); };
  std::cout << format_table({
                   {"", "blocking", "overlapped"},
                   {"steps/s", fixed(steps / blocking.seconds, 1), fixed(steps / overlapped.seconds, 1)},
                   {"seconds", fixed(blocking.seconds, 3), fixed(overlapped.seconds, 3)},
                   {"bytes read", grouped(blocking.bytes_read), grouped(overlapped.bytes_read)},
                   {"GB read", gigabytes(blocking.bytes_read), gigabytes(overlapped.bytes_read)},
                   {"stalls", count(blocking.stalls), count(overlapped.stalls)},
                   {"peak in flight", count(blocking.peak_in_flight), count(overlapped.peak_in_flight)},
               })
            << "Both times include reading " << grouped(plan.steps) << " residuals and writing "
            << grouped(plan.frames()) << " frames as PNG files.\n"
            << std::flush;
}

/// Says everything that is wrong, not only the first thing.
bool check(const RunPlan& plan, const RunResult& blocking, const RunResult& overlapped,
           const FrameDirectory& directory) {
  bool good = true;
  const auto require = [&good](const std::optional<std::string>& problem, const char* fix) {
    if (!problem) return;
    std::cerr << "tailrace: mismatch: " << *problem << ". Fix: " << fix << ".\n";
    good = false;
  };
  constexpr const char* report = "none for you to make: please report this, with the output of `tailrace info`";
  require(compare_residuals(blocking.residuals, overlapped.residuals), report);
  require(check_residuals_change(overlapped.residuals), "take fewer steps or a larger --size");
  require(compare_frames(plan, directory.blocking(), directory.overlapped()), report);
  if (blocking.bytes_read != overlapped.bytes_read) require("the two runs read different amounts", report);
  return good;
}

}  // namespace

ExitStatus run_demo(const DemoOptions& options) {
  const Grid initial = initial_grid(options);
  const Device device{options.device};
  use_device(device);
  const FrameDirectory directory{options.frames};
  const RunPlan plan = make_plan(options, device, initial);
  if (options.verbose) describe(options, plan);

  warm_up(initial);
  const RunResult blocking = run("blocking  ", run_blocking, plan, directory.blocking());
  const RunResult overlapped = run("overlapped", run_overlapped, plan, directory.overlapped());

  print_table(plan, blocking, overlapped);
  if (!check(plan, blocking, overlapped, directory)) return ExitStatus::failure;
  std::cout << "All residuals and frames of the two runs are equal byte for byte.\n";
  if (!directory.temporary()) std::cout << "The frames are in " << options.frames.string() << ".\n";
  return ExitStatus::success;
}

}  // namespace tailrace::tool
