// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// P17. What does a step cost that launches a tiny kernel and reads its 4 KiB back? Against the same kernel and a
// blocking copy. Every readback is proven to be of its own step.

#include <tailrace/ring.hpp>

#include "bench/support/plain.hpp"
#include "bench/support/row.hpp"
#include "bench/support/window.hpp"

#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace {

using namespace bench;

constexpr std::size_t bytes = 4096;
constexpr std::size_t depth = 64;
constexpr std::size_t steps = 512;  // of a turn

/// Results of the last steps, so that a step does not overwrite what is still being read.
class Results {
 public:
  const void* compute(std::uint64_t step, tailrace::StreamRef stream) {
    const std::size_t offset = step % (depth + 1) * bytes;
    test::stamp(buffer_, offset, bytes / sizeof step, step, stream);
    return static_cast<const std::byte*>(buffer_.data()) + offset;
  }
  static void check(std::uint64_t step, const std::byte* result) {
    for (const std::size_t at : {std::size_t{0}, bytes - sizeof step}) {
      std::uint64_t found = 0;
      std::memcpy(&found, result + at, sizeof found);
      if (found != step) throw std::runtime_error{"a result is not of its own step"};
    }
  }

 private:
  test::Buffer buffer_{bytes * (depth + 1)};
};

void step_and_readback(benchmark::State& state) {
  Results results;
  test::Stream stream;
  plain::Pinned destination{bytes};
  tailrace::ReadbackRing ring{tailrace::Device{0},
                              {.slots = 256, .capacity = bytes, .wait_mode = tailrace::WaitMode::spin}};
  Window window{ring, bytes, depth};
  std::uint64_t step = 1;
  const Way plain_way = timed([&] {
    for (std::size_t i = 0; i < steps; ++i, ++step) {
      plain::blocking_copy(destination.bytes(), results.compute(step, stream), stream);
      Results::check(step, destination.data());
    }
  });
  const Way our_way = timed([&] {
    std::uint64_t taken = step;
    const auto read = [&](const std::byte* result) { Results::check(taken++, result); };
    for (std::size_t i = 0; i < steps; ++i, ++step) {
      if (window.full()) window.take(read);
      window.submit(results.compute(step, stream), stream);
    }
    while (!window.empty()) window.take(read);
  });
  plain_way();
  our_way();
  take_turns(state, {.name = "P17", .work = steps, .goal = 1.8}, plain_way, our_way);
}

const auto* const registered = add("step", step_and_readback);

}  // namespace
