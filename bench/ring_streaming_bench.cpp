// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// P1. Does a stream of large readbacks through a ring keep the link as busy as bare copies back to back?

#include <tailrace/ring.hpp>

#include "bench/support/read_pieces.hpp"
#include "bench/support/row.hpp"
#include "bench/support/window.hpp"

#include <algorithm>

namespace {

using namespace bench;

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t streamed = plain::on_host ? 64 * mib : 1024 * mib;  // bytes of a turn

/// As many copies as readbacks, into pinned memory of the ring's size; nothing orders or watches them but their stream.
void raw_copies(plain::Pinned& slots, const Source& source, std::size_t count, test::Stream& stream) {
  const std::size_t slot_count = slots.bytes().size() / source.bytes();
  const auto slot = [&](std::size_t i) { return slots.data() + i % slot_count * source.bytes(); };
  for (std::size_t i = 0; i < count; ++i) plain::copy_async(slot(i), source.piece(i), source.bytes(), stream);
  stream.synchronize();
  for (std::size_t i = count - std::min(count, slot_count); i < count; ++i) source.check_ends(i, slot(i));
}

void ring_streaming(benchmark::State& state, std::size_t bytes) {
  const std::size_t slot_count = std::clamp<std::size_t>(256 * mib / bytes, 4, 64);
  const std::size_t count = streamed / bytes;
  const Source source{bytes, 3};
  test::Stream producer;
  test::Stream copy_stream;
  plain::Pinned slots{slot_count * bytes};
  tailrace::ReadbackRing ring{
      tailrace::Device{0},
      {.slots = static_cast<unsigned>(slot_count), .capacity = bytes, .wait_mode = tailrace::WaitMode::spin}};
  Window window{ring, bytes, slot_count};
  raw_copies(slots, source, count, copy_stream);
  read_pieces(window, source, slot_count, producer, Check::all);
  const Row row{.name = "P1/" + std::to_string(bytes / mib) + "MiB",
                .work = static_cast<double>(count * bytes),
                .figure = Figure::gb_per_s,
                .goal = 0.99};
  take_turns(state, row, timed([&] { raw_copies(slots, source, count, copy_stream); }),
             timed([&] { read_pieces(window, source, count, producer); }));
}

const bool registered = [] {
  for (const std::size_t bytes : {mib, 16 * mib, 64 * mib}) {
    add_large("ring_streaming/bytes:" + std::to_string(bytes), 25, [=](auto& state) { ring_streaming(state, bytes); });
  }
  return true;
}();

}  // namespace
