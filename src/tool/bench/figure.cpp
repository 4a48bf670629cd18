// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "figure.hpp"

#include <algorithm>

namespace tailrace::tool {

Summary summarize(std::span<const double> samples) {
  std::vector<double> sorted{samples.begin(), samples.end()};
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  const double median = sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return {median, sorted.front(), sorted.back()};
}

double advantage(const Figure& ours, const Figure& plain) {
  const double ratio = summarize(ours.samples).median / summarize(plain.samples).median;
  return ours.quantity == Quantity::latency ? 1 / ratio : ratio;
}

const Figure* find_figure(std::span<const Figure> figures, std::string_view name) {
  const auto found = std::ranges::find(figures, name, &Figure::name);
  return found == figures.end() ? nullptr : &*found;
}

}  // namespace tailrace::tool
