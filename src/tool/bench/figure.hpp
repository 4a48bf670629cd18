// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tailrace::tool {

enum class Quantity {
  bandwidth,  ///< GB/s, in powers of ten
  rate,       ///< readbacks a second
  latency     ///< microseconds
};

/// What was measured of one way of reading.
struct Figure {
  std::string name;   ///< for programs: "raw_pinned"
  std::string label;  ///< for people
  Quantity quantity = Quantity::bandwidth;
  std::size_t bytes = 0;          ///< of one readback
  std::string plain{};            ///< name of the figure of the plain way, if this one is compared with it
  std::vector<double> samples{};  ///< one a turn
};

struct Summary {
  double median = 0;
  double min = 0;
  double max = 0;
};

/// @param samples  not empty; of an even number, the median is the mean of the middle two
[[nodiscard]] Summary summarize(std::span<const double> samples);

/// How often better @p ours is than @p plain, of the same quantity: above 1, ours is.
[[nodiscard]] double advantage(const Figure& ours, const Figure& plain);

/// The figure of that name, or null.
[[nodiscard]] const Figure* find_figure(std::span<const Figure> figures, std::string_view name);

}  // namespace tailrace::tool
