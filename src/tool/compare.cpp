// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "compare.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

namespace tailrace::tool {
namespace {

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// All digits that tell two doubles apart.
std::string exact(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}

std::optional<std::vector<char>> content_of(const std::filesystem::path& path) {
  std::ifstream stream{path, std::ios::binary};
  if (!stream) return std::nullopt;
  return std::vector<char>(std::istreambuf_iterator<char>{stream}, {});
}

}  // namespace

std::optional<std::string> compare_residuals(std::span<const double> blocking, std::span<const double> overlapped) {
  if (blocking.size() != overlapped.size()) {
    return "the blocking run read " + std::to_string(blocking.size()) + " residuals and the overlapped run " +
           std::to_string(overlapped.size());
  }
  for (std::size_t i = 0; i < blocking.size(); ++i) {
    if (same_bits(blocking[i], overlapped[i])) continue;
    return "the residual of step " + std::to_string(i + 1) + " is " + exact(blocking[i]) + " in the blocking run and " +
           exact(overlapped[i]) + " in the overlapped run";
  }
  return std::nullopt;
}

std::optional<std::string> check_residuals_change(std::span<const double> residuals) {
  for (std::size_t i = 1; i < residuals.size(); ++i) {
    if (!same_bits(residuals[i - 1], residuals[i])) continue;
    return "the residual of step " + std::to_string(i + 1) + " is the same as that of the step before, " +
           exact(residuals[i]) + (residuals[i] == 0 ? ": the temperatures no longer change" : "");
  }
  return std::nullopt;
}

std::optional<std::string> compare_frames(const RunPlan& plan, const std::filesystem::path& blocking,
                                          const std::filesystem::path& overlapped) {
  for (std::uint64_t step = plan.every; step <= plan.steps; step += plan.every) {
    const auto first = content_of(frame_path(blocking, step));
    const auto second = content_of(frame_path(overlapped, step));
    if (first && second && *first == *second) continue;
    const std::string name = "the frame of step " + std::to_string(step);
    if (!first || !second) return name + " is missing in the " + (first ? "overlapped" : "blocking") + " run";
    return name + " differs between the two runs";
  }
  return std::nullopt;
}

}  // namespace tailrace::tool
