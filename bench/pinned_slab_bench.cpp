// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// P8. What does the pinned memory of a large ring cost to make? A whole ring, against the vendor's allocation of as
// many bytes. And are copies as fast into the one as into the other? And does the CPU read a slot as fast as
// ordinary memory, which it would not if it were write-combined? The counter `slab` is 1 if the ring's memory was a
// slab; where it is not, both are the vendor's. The reference device's allocation touches nothing, so that its ratio
// means nothing.

#include <tailrace/ring.hpp>

#include "bench/support/pageable.hpp"
#include "bench/support/plain.hpp"
#include "bench/support/row.hpp"
#include "bench/support/source.hpp"

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace {

using namespace bench;

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t bytes = plain::on_host ? 64 * mib : 1024 * mib;
constexpr unsigned slots = 16;

tailrace::ReadbackRing make_ring() {
  return tailrace::ReadbackRing{tailrace::Device{0}, {.slots = slots, .capacity = bytes / slots}};
}

void count_slab(benchmark::State& state, const tailrace::ReadbackRing& ring) {
  state.counters["slab"] = ring.statistics().slab_bytes == bytes ? 1 : 0;
}

enum class Clocked { making, making_and_freeing };

/// Makes something, and frees it again before the next turn.
template <class Memory, class Make>
Way making(Clocked clocked, Make make) {
  return [=] {
    std::optional<Memory> memory;
    const double made = timed([&] { make(memory); })();
    const double freed = timed([&] { memory.reset(); })();
    return clocked == Clocked::making ? made : made + freed;
  };
}

void made(benchmark::State& state, const Row& row, Clocked clocked) {
  test::Stream first;  // the process's first call of the vendor's makes its context
  const Way plain_way = making<plain::Pinned>(clocked, [](auto& memory) { memory.emplace(bytes); });
  const Way ours = making<tailrace::ReadbackRing>(clocked, [](auto& ring) { ring.emplace(make_ring()); });
  ours();
  take_turns(state, row, plain_way, ours);
  count_slab(state, make_ring());
}

/// Copies one behind the other into all of the memory.
Way copying(std::span<std::byte> memory, const Source& source, test::Stream& stream) {
  return timed([=, &source, &stream] {
    for (std::size_t at = 0; at < memory.size(); at += source.bytes()) {
      plain::copy_async(memory.data() + at, source.piece(0), source.bytes(), stream);
    }
    stream.synchronize();
    source.check_ends(0, memory.data());
    source.check_ends(0, memory.data() + memory.size() - source.bytes());
  });
}

/// All slots of a ring that nobody else uses.
std::span<std::byte> memory_of(tailrace::ReadbackRing& ring, const Source& source, test::Stream& stream) {
  return ring.visit(ring.submit(source.view(0), stream), [&](std::span<const std::byte> first) {
    return std::span{const_cast<std::byte*>(first.data()), ring.pinned_bytes()};
  });
}

void copied_into(benchmark::State& state) {
  const Source source{bytes / slots, 1};
  test::Stream stream;
  plain::Pinned pinned{bytes};
  tailrace::ReadbackRing ring = make_ring();
  const Way plain_way = copying(pinned.bytes(), source, stream);
  const Way ours = copying(memory_of(ring, source, stream), source, stream);
  plain_way();
  ours();
  take_turns(state, {.name = "P8/copy", .work = static_cast<double>(bytes), .figure = Figure::gb_per_s, .goal = 0.99},
             plain_way, ours);
  count_slab(state, ring);
}

/// Reads all of the memory with the CPU.
Way reading(std::span<const std::byte> memory) {
  auto copy = std::make_shared<std::vector<std::byte>>(memory.size());
  return timed([=] { std::memcpy(copy->data(), memory.data(), memory.size()); });
}

void read_by_the_cpu(benchmark::State& state, const char* name, std::size_t capacity) {
  constexpr unsigned two = 2;
  const Source source{capacity, 1};
  test::Stream stream;
  Pageable ordinary{two * capacity, Pages::touched};
  tailrace::ReadbackRing ring{tailrace::Device{0}, {.slots = two, .capacity = capacity}};
  const Way plain_way = reading(ordinary.bytes());
  const Way ours = reading(memory_of(ring, source, stream));
  plain_way();
  ours();
  take_turns(state,
             {.name = name, .work = static_cast<double>(two * capacity), .figure = Figure::gb_per_s, .goal = 0.9},
             plain_way, ours);
  state.counters["slab"] = ring.statistics().slab_bytes != 0 ? 1 : 0;
}

const bool registered = [] {
  add_large("pinned_slab/made", 5,
            [](auto& state) { made(state, {.name = "P8/made", .figure = Figure::ms, .goal = 8}, Clocked::making); });
  add_large("pinned_slab/made_and_freed", 5, [](auto& state) {
    made(state, {.name = "P8/made_and_freed", .figure = Figure::ms}, Clocked::making_and_freeing);
  });
  add_large("pinned_slab/copied_into", 15, copied_into);
  add_large("pinned_slab/read_by_the_cpu", 15, [](auto& state) { read_by_the_cpu(state, "P8/read/slab", 32 * mib); });
  add_large("pinned_slab/small_read_by_the_cpu", 25, [](auto& state) { read_by_the_cpu(state, "P8/read/small", mib); });
  return true;
}();

}  // namespace
