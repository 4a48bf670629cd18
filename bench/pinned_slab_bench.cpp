// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// P8. What does a ring's pinned memory cost to make? The plain way, the vendor's own pinned allocation, and the
// construction of a whole ring of as many bytes, in one process. Counters: milliseconds to make and to end each;
// `ratio` is plain over ours of the making alone, `ratio_with_end` of both; `slab` is 1 if the ring's memory was a
// slab, without which the ratio says nothing. Then, whether device-to-host copies are as fast into the one as into the
// other: plain_gbytes_per_s and ours_gbytes_per_s.
//
// The host backend's allocation does not touch its memory, so that its ratio means nothing.

#include <tailrace/ring.hpp>

#include "backends/adapter.hpp"
#include "tests/support/device.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>

namespace {

namespace backend = tailrace::backend;
using Clock = std::chrono::steady_clock;

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr unsigned slots = 16;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void check(backend::Status status) {
  if (!status.ok()) throw std::runtime_error(backend::error_text(status.code));
}

/// Seconds that a call takes.
template <class F>
double timed(const F& call) {
  const Clock::time_point start = Clock::now();
  call();
  return seconds_since(start);
}

/// Bytes per second of copies of the buffer, one behind the other, into all of the memory; of several rounds the best.
double copy_rate(std::span<std::byte> memory, const test::Buffer& source, test::Stream& stream) {
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    const double took = timed([&] {
      for (std::size_t at = 0; at + source.size() <= memory.size(); at += source.size()) {
        const backend::Region region{.data = source.data(), .width = source.size()};
        check(backend::copy_to_host(memory.data() + at, region, tailrace::StreamRef{stream}.get()));
      }
      stream.synchronize();
    });
    best = std::max(best, static_cast<double>(memory.size()) / took);
  }
  return best;
}

/// All slots of a ring that nothing was submitted to, which nobody else uses.
std::span<std::byte> memory_of(tailrace::ReadbackRing& ring, const test::Buffer& source, test::Stream& stream) {
  return ring.visit(ring.submit({source.data(), 8}, stream), [&](std::span<const std::byte> bytes) {
    return std::span{const_cast<std::byte*>(bytes.data()), ring.pinned_bytes()};
  });
}

tailrace::ReadbackRing make_ring(std::size_t bytes) {
  return tailrace::ReadbackRing{tailrace::Device{0}, {.slots = slots, .capacity = bytes / slots}};
}

void compare_copies(benchmark::State& state, std::size_t bytes) {
  test::Stream stream;
  const test::Buffer source{bytes / slots};
  void* plain = nullptr;
  check(backend::pinned_allocate(bytes, plain));
  tailrace::ReadbackRing ring = make_ring(bytes);
  state.counters["slab"] = ring.statistics().slab_bytes == bytes ? 1 : 0;
  const std::span<std::byte> ours = memory_of(ring, source, stream);
  state.counters["plain_gbytes_per_s"] = copy_rate({static_cast<std::byte*>(plain), bytes}, source, stream) / 1e9;
  state.counters["ours_gbytes_per_s"] = copy_rate(ours, source, stream) / 1e9;
  check(backend::pinned_free(plain));
}

// Both ways take turns within every iteration, so that a change of the machine's mood meets both.
void pinned_slab(benchmark::State& state) {
  const std::size_t bytes = static_cast<std::size_t>(state.range(0)) * mebibyte;
  make_ring(mebibyte);  // the vendor's first call of a process makes its context
  double plain = 0;
  double plain_end = 0;
  double ours = 0;
  double ours_end = 0;
  for (auto _ : state) {
    void* memory = nullptr;
    plain += timed([&] { check(backend::pinned_allocate(bytes, memory)); });
    plain_end += timed([&] { check(backend::pinned_free(memory)); });
    std::optional<tailrace::ReadbackRing> ring;
    const double took = timed([&] { ring.emplace(make_ring(bytes)); });
    ours += took;
    ours_end += timed([&] { ring.reset(); });
    state.SetIterationTime(took);
  }
  const double ms = 1e3 / static_cast<double>(state.iterations());
  state.counters["plain_ms"] = plain * ms;
  state.counters["plain_end_ms"] = plain_end * ms;
  state.counters["ours_ms"] = ours * ms;
  state.counters["ours_end_ms"] = ours_end * ms;
  state.counters["ratio"] = plain / ours;
  state.counters["ratio_with_end"] = (plain + plain_end) / (ours + ours_end);
  compare_copies(state, bytes);
}

}  // namespace

BENCHMARK(pinned_slab)
    ->ArgName("mebibytes")
    ->Arg(16)
    ->Arg(64)
    ->Arg(256)
    ->Arg(1024)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5)
    ->Repetitions(3)
    ->ReportAggregatesOnly();
