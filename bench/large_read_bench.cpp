// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// How fast do large arrays get into pageable memory through Runtime::read? P2: touched memory, against the blocking
// copy, and against a bare copy into pinned memory, which is as fast as the link. P2b: the same for other
// sizes. P2c: a read with a snapshot. P3: memory whose pages are to be made. P3b: the same for other sizes.
//
// TAILRACE_BENCH_WORKERS, TAILRACE_BENCH_CHUNK_BYTES and TAILRACE_BENCH_CHUNK_SLOTS replace the options of the
// runtimes.

#include <tailrace/runtime.hpp>

#include "bench/support/pageable.hpp"
#include "bench/support/plain.hpp"
#include "bench/support/row.hpp"
#include "bench/support/source.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace {

using namespace bench;

constexpr std::size_t kib = 1024;
constexpr std::size_t large = plain::on_host ? 16 * kib * kib : 1024 * kib * kib;
// Of P2, so that five threads copy: the one that reads copies too.
constexpr unsigned few_workers = 4;

std::optional<unsigned> knob(const char* name) {
  const char* const set = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets the environment
  if (set == nullptr) return std::nullopt;
  const std::string_view text{set};
  unsigned value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size()) return value;
  throw std::runtime_error{std::string{name} + " is no whole number. Fix: set it to one, or unset it"};
}

tailrace::RuntimeOptions options(std::optional<unsigned> workers = {}) {
  tailrace::RuntimeOptions made{.snapshot_limit = large};
  if (const auto asked = knob("TAILRACE_BENCH_WORKERS")) workers = asked;
  if (workers) made.copy_streams.arena = tailrace::CopyArena{{.concurrency = workers}};
  if (const auto asked = knob("TAILRACE_BENCH_CHUNK_BYTES")) made.chunk_bytes = *asked;
  if (const auto asked = knob("TAILRACE_BENCH_CHUNK_SLOTS")) made.chunk_slots = *asked;
  return made;
}

/// What is large and slow to make: made once, and kept until the process ends.
struct Large {
  Source source{large, 1};
  test::Stream producer;
  plain::Pinned pinned{large};
  Pageable touched{large, Pages::touched};

  static Large& the() {
    static Large& arrays = *std::make_unique<Large>().release();
    return arrays;
  }
  void bare_copy(std::span<std::byte> pinned_destination) {
    plain::copy_async(pinned_destination.data(), source.piece(0), large, producer);
    producer.synchronize();
  }
};

/// Makes memory ready for a turn in which every sample is to arrive anew.
using Prepare = std::function<std::span<std::byte>()>;
using Read = std::function<void(std::span<std::byte>)>;

Prepare spoiled(const Source& source, std::span<std::byte> destination) {
  return [=, &source] {
    source.spoil_samples(destination.data());
    return destination;
  };
}
Prepare renewed(Pageable& destination) {
  return [&destination] {
    destination.renew();
    return destination.bytes();
  };
}

/// Reads all of the source, `count` times in a turn. Warmed up here, with every byte checked.
Way reading(const Source& source, const Prepare& prepare, const Read& read, std::size_t count = 1) {
  const std::span<std::byte> first = prepare();
  read(first);
  source.check_all(0, first.data());
  return [=, &source] {
    const std::span<std::byte> destination = prepare();
    const double seconds = timed([&] {
      for (std::size_t i = 0; i < count; ++i) read(destination);
    })();
    source.check_samples(0, destination.data());
    return seconds;
  };
}

Read blocking(const Source& source, tailrace::StreamRef producer) {
  return [=, &source](auto destination) { plain::blocking_copy(destination, source.piece(0), producer); };
}
Read through(tailrace::Runtime& runtime, const Source& source, tailrace::StreamRef producer) {
  return [=, &runtime, &source](auto destination) { runtime.read(destination, source.view(0), producer); };
}

Row large_row(const char* name, double goal) {
  return {.name = name, .work = static_cast<double>(large), .figure = Figure::gb_per_s, .goal = goal};
}

// P2

void touched_against_blocking_copy(benchmark::State& state) {
  Large& all = Large::the();
  tailrace::Runtime runtime{tailrace::Device{0}, options(few_workers)};
  const Prepare touched = spoiled(all.source, all.touched.bytes());
  take_turns(state, large_row("P2/memcpy", 5.5), reading(all.source, touched, blocking(all.source, all.producer)),
             reading(all.source, touched, through(runtime, all.source, all.producer)));
}

void touched_against_bare_copy(benchmark::State& state) {
  Large& all = Large::the();
  tailrace::Runtime runtime{tailrace::Device{0}, options(few_workers)};
  take_turns(state, large_row("P2/raw", 0.95),
             reading(all.source, spoiled(all.source, all.pinned.bytes()), [&](auto pinned) { all.bare_copy(pinned); }),
             reading(all.source, spoiled(all.source, all.touched.bytes()), through(runtime, all.source, all.producer)));
}

// P2b, P3b

void of_size(benchmark::State& state, const std::string& name, std::size_t bytes, Pages pages) {
  const bool touched = pages == Pages::touched;
  // Memory is fresh once in a turn.
  const std::size_t count = touched ? std::clamp<std::size_t>((std::size_t{8} << 20) / bytes, 1, 50) : 1;
  const Source source{bytes, 1};
  test::Stream producer;
  Pageable destination{bytes, pages};
  tailrace::Runtime runtime{tailrace::Device{0}, options()};
  const Prepare prepare = touched ? spoiled(source, destination.bytes()) : renewed(destination);
  const Row row{.name = name, .work = static_cast<double>(bytes * count), .figure = Figure::gb_per_s, .goal = 1};
  take_turns(state, row, reading(source, prepare, blocking(source, producer), count),
             reading(source, prepare, through(runtime, source, producer), count));
}

// P2c

/// A snapshot is taken in the producer's stream, which is free for other work behind it.
void until_free(const Large& all, tailrace::Runtime& runtime, std::span<std::byte> destination) {
  runtime.async_read("large", destination, all.source.view(0), all.producer, {.snapshot = true});
  test::synchronize(all.producer);
}

void snapshot_against_device_copy(benchmark::State& state) {
  Large& all = Large::the();
  test::Buffer copy{large};
  tailrace::Runtime runtime{tailrace::Device{0}, options()};
  const Prepare touched = spoiled(all.source, all.touched.bytes());
  const Way on_device = timed([&] {
    test::device_copy(copy, all.source.buffer(), all.producer);
    all.producer.synchronize();
  });
  const Way ours = [&] {
    const std::span<std::byte> destination = touched();
    const double seconds = timed([&] { until_free(all, runtime, destination); })();
    runtime.async_wait("large");
    all.source.check_samples(0, destination.data());
    return seconds;
  };
  on_device();
  ours();
  take_turns(state, {.name = "P2c/free", .figure = Figure::us, .goal = 1.1, .compare = Compare::ours_over_plain},
             on_device, ours);
}

void snapshot_against_bare_copy(benchmark::State& state) {
  Large& all = Large::the();
  tailrace::Runtime runtime{tailrace::Device{0}, options()};
  const auto ours = [&](auto destination) {
    until_free(all, runtime, destination);
    runtime.async_wait("large");
  };
  take_turns(state, large_row("P2c/raw", 0.93),
             reading(all.source, spoiled(all.source, all.pinned.bytes()), [&](auto pinned) { all.bare_copy(pinned); }),
             reading(all.source, spoiled(all.source, all.touched.bytes()), ours));
}

// P3

void fresh(benchmark::State& state, const char* name, Pages pages) {
  Large& all = Large::the();
  Pageable destination{large, pages};
  tailrace::Runtime runtime{tailrace::Device{0}, options()};
  take_turns(state, large_row(name, 8), reading(all.source, renewed(destination), blocking(all.source, all.producer)),
             reading(all.source, renewed(destination), through(runtime, all.source, all.producer)));
}

const bool registered = [] {
  add_large("large_read/touched", 7, touched_against_blocking_copy);
  add_large("large_read/touched_raw", 15, touched_against_bare_copy);
  add_large("large_read/snapshot_free", 15, snapshot_against_device_copy);
  add_large("large_read/snapshot_raw", 15, snapshot_against_bare_copy);
  add_large("large_read/fresh_small_pages", 5, [](auto& state) { fresh(state, "P3/small_pages", Pages::fresh_small); });
  add_large("large_read/fresh_huge_pages", 5, [](auto& state) { fresh(state, "P3/huge_pages", Pages::fresh_huge); });
  const auto add_size = [](const std::string& size, std::size_t bytes, int turns) {
    add_large("large_read/touched:" + size, turns,
              [=](auto& state) { of_size(state, "P2b/" + size, bytes, Pages::touched); });
    add_large("large_read/fresh:" + size, turns,
              [=](auto& state) { of_size(state, "P3b/" + size, bytes, Pages::fresh_small); });
  };
  add_size("64KiB", 64 * kib, 25);
  add_size("256KiB", 256 * kib, 25);
  add_size("1MiB", kib * kib, 25);
  add_size("16MiB", 16 * kib * kib, 25);
  if (!plain::on_host) add_size("4GiB", 4 * kib * kib * kib, 3);
  return true;
}();

}  // namespace
