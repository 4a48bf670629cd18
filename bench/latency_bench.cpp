// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// P7. How long from the submission of one readback of 4 KiB, with nothing else in flight, until its bytes are there?
// Against the bare calls: producer edge, copy, event, and a query of it in a loop. Both ways spin. The bare calls
// against themselves say how exact that is.

#include <tailrace/ring.hpp>

#include "bench/support/event_ring.hpp"
#include "bench/support/read_pieces.hpp"
#include "bench/support/row.hpp"
#include "bench/support/window.hpp"

namespace {

using namespace bench;

constexpr std::size_t bytes = 4096;
constexpr std::size_t readbacks = 32;  // of a turn, one after the other

struct Setting {
  Source source{bytes, 61};
  test::Stream producer;
  test::Stream copy_stream;
  plain::EventRing raw{bytes, 1, copy_stream};

  template <class Ring>
  [[nodiscard]] Way through(Ring& ring_or_window) {
    read_pieces(ring_or_window, source, 1024, producer, Check::all);  // warms up
    return timed([&, this] { read_pieces(ring_or_window, source, readbacks, producer); });
  }
};

void against_bare_calls(benchmark::State& state) {
  Setting setting;
  tailrace::ReadbackRing ring{tailrace::Device{0}, {.capacity = bytes, .wait_mode = tailrace::WaitMode::spin}};
  Window window{ring, bytes, 1};
  take_turns(state, {.name = "P7", .work = readbacks, .goal = 1.03, .compare = Compare::ours_over_plain},
             setting.through(setting.raw), setting.through(window));
}

void bare_calls_against_themselves(benchmark::State& state) {
  Setting setting;
  test::Stream other_stream;
  plain::EventRing other{bytes, 1, other_stream};
  take_turns(state, {.name = "P7/noise", .work = readbacks, .compare = Compare::ours_over_plain},
             setting.through(setting.raw), setting.through(other));
}

const bool registered = [] {
  add("latency", against_bare_calls);
  add("latency/noise", bare_calls_against_themselves);
  return true;
}();

}  // namespace
