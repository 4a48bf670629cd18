// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "heat.hpp"
#include "run.hpp"

#include <chrono>
#include <cstddef>
#include <span>

namespace tailrace::tool {

RunResult run_blocking(const RunPlan& plan, const std::filesystem::path& frames, Progress& progress) {
  HeatSolver solver{plan.initial.cells, plan.format.width, plan.format.height};
  std::vector<float> field(plan.initial.cells.size());
  const std::span<std::byte> field_bytes = std::as_writable_bytes(std::span{field});
  solver.blocking_read(field_bytes, solver.field());  // the first use is not timed

  RunResult result;
  result.residuals.resize(plan.steps);
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t step = 1; step <= plan.steps; ++step) {
    solver.step();
    solver.blocking_read(std::as_writable_bytes(std::span{&result.residuals[step - 1], 1}), solver.residual());
    result.bytes_read += sizeof(double);
    if (plan.has_frame(step)) {
      solver.blocking_read(field_bytes, solver.field());
      result.bytes_read += field_bytes.size();
      write_frame(frame_path(frames, step), plan.format, field);
    }
    progress.update(step);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace tailrace::tool
