// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "frame.hpp"
#include "grid.hpp"
#include "progress.hpp"

#include <tailrace/devices.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace tailrace::tool {

/// What both runs compute and read.
struct RunPlan {
  Device device;  ///< also the calling thread's current one
  const Grid& initial;
  FrameFormat format;
  std::uint64_t steps = 0;
  std::uint64_t every = 0;

  [[nodiscard]] bool has_frame(std::uint64_t step) const noexcept { return step % every == 0; }
  [[nodiscard]] std::uint64_t frames() const noexcept { return steps / every; }
};

/// What a run read, and how long it took. Steps count from 1: residuals[0] is that of step 1.
struct RunResult {
  std::vector<double> residuals;
  double seconds = 0;  ///< from the first step until every residual is read and every frame is written
  std::uint64_t bytes_read = 0;
  std::optional<std::uint64_t> stalls;          ///< submissions that met a slot still in flight
  std::optional<std::uint64_t> peak_in_flight;  ///< most readbacks under way at once
};

/// As a program without this library would do it: the host waits for every residual and every field, and then writes
/// the frame itself. @throws Error
[[nodiscard]] RunResult run_blocking(const RunPlan& plan, const std::filesystem::path& frames, Progress& progress);

/// The same steps: residuals through the ring, fields with async_read(), frames written by tagged jobs. @throws Error
[[nodiscard]] RunResult run_overlapped(const RunPlan& plan, const std::filesystem::path& frames, Progress& progress);

}  // namespace tailrace::tool
