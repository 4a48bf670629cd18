// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/enumeration/readbacks.hpp"
#include "tests/enumeration/scenarios.hpp"

#include <tailrace/ring_set.hpp>

#include <cstddef>

namespace enumeration {

using tailrace::RingSet;
using tailrace::RingSetOptions;

namespace {

constexpr std::size_t page_words = 4096 / sizeof(std::uint64_t);

/// Classes that do not fit into the budget together, so that idle rings are given up, and one whose result waits.
void under_a_budget(Invariants& check) {
  const Told& told = check.told();
  RingSetOptions options;
  options.slots_per_ring = 4;
  options.pinned_budget = std::size_t{64} << 10;
  options.lanes = 1;
  options.close_bound = longer_than_a_run;
  options.log = told.handler();
  const auto set = check.make<RingSet>(0, options);
  if (!set) return;
  Readbacks<RingSet> readbacks{check, *set, told, stage()};
  const auto expect_account = [&] {
    check.require(set->pinned_bytes() == check.pinned_bytes(), "the account of pinned memory is wrong");
  };
  readbacks.submit(1);
  for (const std::size_t pages : {2U, 3U, 4U, 2U}) {
    readbacks.submit(pages * page_words);
    expect_account();
    readbacks.settle();
    expect_account();
  }
  if (readbacks.submit(page_words)) readbacks.discard_newest();
  readbacks.settle();
  readbacks.work_on(2);
  expect_account();
}

}  // namespace

std::vector<Scenario> ring_set_scenarios() { return {{"ring_set", under_a_budget}}; }

}  // namespace enumeration
