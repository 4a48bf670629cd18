// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "run.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace tailrace::tool {

// Each answers with one sentence that names the first step at which something is wrong, or nullopt if all is well.

/// Whether both runs read the same residuals, bit for bit.
[[nodiscard]] std::optional<std::string> compare_residuals(std::span<const double> blocking,
                                                           std::span<const double> overlapped);
/// Whether every residual differs from the one before: equal ones could be one value read twice.
[[nodiscard]] std::optional<std::string> check_residuals_change(std::span<const double> residuals);
/// Whether both directories hold the same frames of the plan's steps, byte for byte.
[[nodiscard]] std::optional<std::string> compare_frames(const RunPlan& plan, const std::filesystem::path& blocking,
                                                        const std::filesystem::path& overlapped);

}  // namespace tailrace::tool
