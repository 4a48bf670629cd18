// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// What does a small readback cost its caller? The plain way, a blocking copy after the producer's work, and the ring at
// several depths, in one process. The counter `ratio` is plain over ring: above 1, the ring is faster.

#include <tailrace/ring.hpp>

#include "tests/support/device.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Both ways take turns within every iteration, so that a change of the machine's mood meets both.
void small_readback(benchmark::State& state) {
  constexpr int readbacks = 256;
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const auto depth = static_cast<std::size_t>(state.range(1));
  test::Stream stream;
  test::Buffer buffer{bytes};
  test::stamp(buffer, 0, bytes / 8, 42, stream);
  stream.synchronize();
  std::vector<std::byte> destination(bytes);
  tailrace::ReadbackRing ring{tailrace::Device{0},
                              {.slots = 256, .capacity = bytes, .wait_mode = tailrace::WaitMode::spin}};
  double plain = 0;
  double ours = 0;
  for (auto _ : state) {
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < readbacks; ++i) test::blocking_copy(destination, buffer, stream);
    plain += seconds_since(begin);

    const Clock::time_point middle = Clock::now();
    std::deque<tailrace::Ticket> tickets;
    for (int i = 0; i < readbacks; ++i) {
      if (tickets.size() == depth) {
        ring.collect(tickets.front(), destination);
        tickets.pop_front();
      }
      tickets.push_back(ring.submit({buffer.data(), bytes}, stream));
    }
    for (const tailrace::Ticket& ticket : tickets) ring.collect(ticket, destination);
    const double took = seconds_since(middle);
    ours += took;
    state.SetIterationTime(took);
  }
  if (destination != buffer.download()) state.SkipWithError("the bytes are wrong");
  const double count = static_cast<double>(state.iterations()) * readbacks;
  state.counters["plain_us"] = plain / count * 1e6;
  state.counters["ring_us"] = ours / count * 1e6;
  state.counters["ratio"] = plain / ours;
}

}  // namespace

BENCHMARK(small_readback)
    ->ArgNames({"bytes", "depth"})
    ->ArgsProduct({{8, 4096}, {1, 8, 64}})
    ->UseManualTime()
    ->Repetitions(3)
    ->ReportAggregatesOnly();
