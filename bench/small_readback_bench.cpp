// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// P4, P4b, P4c. What does a readback of 4 KiB cost its caller, submitted and collected? Against a blocking copy,
// against the ring that one writes by hand, against one batched copy, both rings over how many are in flight; and what
// do 10,000 results of 64 bytes cost, each?

#include <tailrace/ring.hpp>

#include "bench/support/event_ring.hpp"
#include "bench/support/read_pieces.hpp"
#include "bench/support/row.hpp"
#include "bench/support/window.hpp"

#include <string>
#include <vector>

namespace {

using namespace bench;

constexpr std::size_t bytes = 4096;
constexpr std::size_t usual_depth = 64;
constexpr std::size_t readbacks = 512;  // of a turn

struct Setting {
  Source source{bytes, 61};
  test::Stream producer;
  test::Stream copy_stream;
  tailrace::ReadbackRing ring{tailrace::Device{0},
                              {.slots = 256, .capacity = bytes, .wait_mode = tailrace::WaitMode::spin}};

  /// Either way, warmed up.
  template <class Ring>
  [[nodiscard]] Way through(Ring& ring_or_window) {
    read_pieces(ring_or_window, source, 2 * readbacks, producer, Check::all);
    return timed([&, this] { read_pieces(ring_or_window, source, readbacks, producer); });
  }
  [[nodiscard]] Way blocking_into(std::span<std::byte> destination) {
    read_pieces_blocking(destination, source, readbacks, producer, Check::all);
    return timed([=, this] { read_pieces_blocking(destination, source, readbacks, producer); });
  }
};

void against_ring(benchmark::State& state, Row row, std::size_t depth) {
  Setting setting;
  plain::EventRing by_hand{bytes, depth, setting.copy_stream};
  Window window{setting.ring, bytes, depth};
  row.work = readbacks;
  take_turns(state, row, setting.through(by_hand), setting.through(window));
}

void against_blocking_copy(benchmark::State& state) {
  Setting setting;
  plain::Pinned destination{bytes};
  Window window{setting.ring, bytes, usual_depth};
  take_turns(state, {.name = "P4/memcpy", .work = readbacks, .goal = 3}, setting.blocking_into(destination.bytes()),
             setting.through(window));
}

void record_and_arm(benchmark::State& state) {
  Setting setting;
  plain::Pinned destination{bytes};
  RecordWindow window{setting.ring, bytes, usual_depth, 8};
  take_turns(state, {.name = "P4b", .work = readbacks, .goal = 3.5}, setting.blocking_into(destination.bytes()),
             setting.through(window));
}

void tiny(benchmark::State& state) {
  constexpr std::size_t tiny_bytes = 64;
  constexpr std::size_t results = 10'000;
  const Source source{tiny_bytes, 61};
  test::Stream producer;
  plain::Pinned destination{tiny_bytes};
  tailrace::ReadbackRing ring{tailrace::Device{0}, {.capacity = tiny_bytes, .wait_mode = tailrace::WaitMode::spin}};
  Window window{ring, tiny_bytes, usual_depth};
  read_pieces(window, source, 2 * usual_depth, producer, Check::all);
  take_turns(state, {.name = "P4c", .work = results, .goal = 1},
             timed([&] { read_pieces_blocking(destination.bytes(), source, results, producer); }),
             timed([&] { read_pieces(window, source, results, producer); }));
}

/// Not the same work: a batch wants all its sources at once, and nothing is collected before the last has arrived.
void against_batched_copy(benchmark::State& state) {
  Setting setting;
  plain::Pinned destination{bytes * readbacks};
  plain::Event produced;
  plain::Event copied;
  const auto batches = [&](Check check) {
    for (std::size_t first = 0; first < readbacks; first += usual_depth) {
      std::vector<void*> to;
      std::vector<const void*> from;
      for (std::size_t i = first; i < first + usual_depth; ++i) {
        to.push_back(destination.data() + i * bytes);
        from.push_back(setting.source.piece(i));
      }
      produced.record(setting.producer);
      produced.hold_up(setting.copy_stream);
      plain::copy_batch_async(to, from, bytes, setting.copy_stream);
    }
    copied.record(setting.copy_stream);
    while (!copied.done()) {
    }
    for (std::size_t i = 0; i < readbacks; ++i) {
      const std::byte* arrived = destination.data() + i * bytes;
      check == Check::all ? setting.source.check_all(i, arrived) : setting.source.check_ends(i, arrived);
    }
  };
  batches(Check::all);
  Window window{setting.ring, bytes, usual_depth};
  take_turns(state, {.name = "P4/batch", .work = readbacks}, timed([&] { batches(Check::ends); }),
             setting.through(window));
}

const bool registered = [] {
  add("small_readback/ring", [](auto& state) { against_ring(state, {.name = "P4/ring", .goal = 1.5}, usual_depth); });
  add("small_readback/memcpy", against_blocking_copy);
  add("small_readback/record_and_arm", record_and_arm);
  add_large("small_readback/tiny", 15, tiny);
  if (plain::has_batched_copy()) add("small_readback/batch", against_batched_copy);
  for (std::size_t depth = 1; depth <= 128; depth *= 2) {
    add("small_readback/depth:" + std::to_string(depth),
        [=](auto& state) { against_ring(state, {.name = "curve/depth", .x = static_cast<double>(depth)}, depth); });
  }
  return true;
}();

}  // namespace
