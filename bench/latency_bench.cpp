// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// P7. How long from the submission of one readback of 4 KiB, with nothing else in flight, until its bytes are there?
// Against the bare calls: producer edge, copy, event, and a query of it in a loop.

#include <tailrace/ring.hpp>

#include "bench/support/event_ring.hpp"
#include "bench/support/read_pieces.hpp"
#include "bench/support/row.hpp"
#include "bench/support/window.hpp"

namespace {

using namespace bench;

void one_at_a_time(benchmark::State& state) {
  constexpr std::size_t bytes = 4096;
  constexpr std::size_t readbacks = 32;  // of a turn, one after the other
  const Source source{bytes, 61};
  test::Stream producer;
  test::Stream copy_stream;
  tailrace::ReadbackRing ring{tailrace::Device{0}, {.capacity = bytes, .wait_mode = tailrace::WaitMode::spin}};
  plain::EventRing raw{bytes, 1, copy_stream};
  Window window{ring, bytes, 1};
  read_pieces(raw, source, 1024, producer, Check::all);
  read_pieces(window, source, 1024, producer, Check::all);
  take_turns(state, {.name = "P7", .work = readbacks, .goal = 1.03, .compare = Compare::ours_over_plain},
             timed([&] { read_pieces(raw, source, readbacks, producer); }),
             timed([&] { read_pieces(window, source, readbacks, producer); }));
}

const auto* const registered = add("latency", one_at_a_time);

}  // namespace
