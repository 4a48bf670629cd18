// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// P10. What does the library itself cost, per readback submitted, polled for and visited? On the host backend, with
// copies that are over when they are enqueued; against the bare driver calls that the ring makes. bench/own_cost.cpp
// counts the same in instructions.

#include "bench/support/own_cost.hpp"
#include "bench/support/row.hpp"

namespace {

using namespace bench;

void own_cost(benchmark::State& state) {
  constexpr std::size_t readbacks = 2048;  // of a turn
  OwnCost cost;
  take_turns(state,
             {.name = "P10", .work = readbacks, .figure = Figure::ns, .goal = 100, .compare = Compare::difference},
             timed([&] { cost.calls_only(readbacks); }), timed([&] { cost.through_ring(readbacks); }));
  state.counters["calls"] = cost.calls_per_readback();
}

const auto* const registered = add("own_cost", own_cost);

}  // namespace
