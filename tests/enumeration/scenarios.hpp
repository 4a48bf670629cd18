// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "tests/enumeration/invariants.hpp"

#include <chrono>
#include <string_view>
#include <vector>

namespace enumeration {

/// A script of calls of the library, from the construction of its objects to their end, on a thread of its own. It
/// makes the same driver calls in every run in which none fails. All copies that could start are over when they are
/// enqueued.
struct Scenario {
  std::string_view name;
  void (*run)(Invariants&);
};

/// A bound that is never reached, since a run that hangs ends before.
inline constexpr std::chrono::minutes longer_than_a_run{5};

[[nodiscard]] std::vector<Scenario> ring_scenarios();
[[nodiscard]] std::vector<Scenario> ring_set_scenarios();
[[nodiscard]] std::vector<Scenario> runtime_scenarios();

}  // namespace enumeration
