// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "bench/support/row.hpp"

#include "bench/support/plain.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <vector>

namespace bench {

namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double figure(const Row& row, double seconds) {
  switch (row.figure) {
    case Figure::ms: return seconds / row.work * 1e3;
    case Figure::us: return seconds / row.work * 1e6;
    case Figure::ns: return seconds / row.work * 1e9;
    default: return row.work / seconds / 1e9;
  }
}

double compared(const Row& row, double plain_seconds, double our_seconds) {
  switch (row.compare) {
    case Compare::times_better: return plain_seconds / our_seconds;
    case Compare::ours_over_plain: return our_seconds / plain_seconds;
    default: return figure(row, our_seconds) - figure(row, plain_seconds);
  }
}

}  // namespace

void take_turns(benchmark::State& state, const Row& row, const Way& plain, const Way& ours) {
  std::vector<double> plain_seconds;
  std::vector<double> our_seconds;
  // Of each pair, not of the medians: what the machine does for a while cancels.
  std::vector<double> comparisons;
  bool plain_first = true;
  while (state.KeepRunning()) {
    if (plain_first) plain_seconds.push_back(plain());
    our_seconds.push_back(ours());
    if (!plain_first) plain_seconds.push_back(plain());
    plain_first = !plain_first;
    comparisons.push_back(compared(row, plain_seconds.back(), our_seconds.back()));
    state.SetIterationTime(our_seconds.back());
  }
  state.SetLabel(row.name);
  state.counters["plain"] = figure(row, median(plain_seconds));
  state.counters["ours"] = figure(row, median(our_seconds));
  state.counters["ratio"] = median(comparisons);
  if (row.goal != 0) state.counters["goal"] = row.goal;
  if (row.x != 0) state.counters["x"] = row.x;
}

benchmark::internal::Benchmark* add(const std::string& name, std::function<void(benchmark::State&)> body) {
  const auto guarded = [body = std::move(body)](benchmark::State& state) {
    try {
      body(state);
    } catch (const std::exception& error) {
      state.SkipWithError(error.what());
    }
  };
  return benchmark::RegisterBenchmark(name.c_str(), guarded)->UseManualTime()->Unit(benchmark::kMicrosecond);
}

benchmark::internal::Benchmark* add_large(const std::string& name, int turns,
                                          std::function<void(benchmark::State&)> body) {
  return add(name, std::move(body))->Iterations(plain::on_host ? 3 : turns)->Repetitions(1);
}

}  // namespace bench
