// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/self_test_paths.hpp"

#include <tailrace/ring.hpp>
#include <tailrace/ring_set.hpp>
#include <tailrace/runtime.hpp>

#include "src/slot_memory.hpp"

#include <array>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

using Pattern = SelfTestBed::Pattern;

/// What went wrong is in the report.
LogHandler silent() {
  return [](LogLevel, std::string_view) {};
}

std::string name_of(const SelfTestPath& path) { return "self-test, " + path.name; }

ReadbackRing make_ring(const SelfTestBed& bed, const SelfTestPath& path, unsigned slots, std::size_t capacity) {
  RingOptions options;
  options.name = name_of(path);
  options.slots = slots;
  options.capacity = capacity;
  options.log = silent();
  return ReadbackRing{bed.device(), std::move(options)};
}

/// Compares where the bytes arrive, at once when an event query says that they are there: no synchronisation, and no
/// sleep, in which a late write would arrive unseen.
template <class Rings>
void compare_at_once(Rings& rings, const Ticket& ticket, const SelfTestBed& bed, SelfTestPath& path,
                     const DeviceView& region, Stamp stamp) {
  const auto compare = [&](std::span<const std::byte> found) { bed.compare(path, found, region, stamp); };
  while (!rings.try_visit(ticket, compare)) std::this_thread::yield();
}

void read_one(ReadbackRing& ring, const SelfTestBed& bed, SelfTestPath& path, const DeviceView& region, Stamp stamp) {
  compare_at_once(ring, ring.submit(region, bed.stream()), bed, path, region, stamp);
}

void plain_copies(SelfTestBed& bed, SelfTestPath& path) {
  constexpr std::size_t most = std::size_t{1} << 20;
  ReadbackRing ring = make_ring(bed, path, 2, most);
  const Stamp stamp = bed.write(SelfTestBed::size, bed.stream());
  for (const std::size_t bytes : {4UL, 1UL, 63UL, 4093UL, 65'537UL, most}) {
    for (const std::size_t offset : {0UL, 1UL, 4099UL}) {
      read_one(ring, bed, path, bed.source(offset, bytes), stamp);
    }
  }
}

/// Reads both regions into both slots, twice.
void read_pitched(SelfTestBed& bed, SelfTestPath& path, const DeviceView& one, const DeviceView& other) {
  ReadbackRing ring = make_ring(bed, path, 2, 65'536);
  for (int round = 0; round < 4; ++round) {
    const Stamp stamp = bed.write(SelfTestBed::size, bed.stream());
    read_one(ring, bed, path, round % 2 == 0 ? one : other, stamp);
  }
}

void pitched_2d(SelfTestBed& bed, SelfTestPath& path) {
  DeviceView narrow = DeviceView::pitched(bed.source(), 7, 3001, 400);
  narrow.offset = 3;
  read_pitched(bed, path, DeviceView::pitched(bed.source(), 1000, 61, 1024), narrow);
}

void pitched_3d(SelfTestBed& bed, SelfTestPath& path) {
  DeviceView small = DeviceView::pitched(bed.source(), 5, 3, 101, 12, std::size_t{12} * 4);
  small.offset = 1;
  read_pitched(bed, path, DeviceView::pitched(bed.source(), 100, 31, 9, 128, std::size_t{128} * 40), small);
}

void record_and_arm(SelfTestBed& bed, SelfTestPath& path) {
  constexpr std::size_t bytes = 1021;
  ReadbackRing ring = make_ring(bed, path, 4, 4096);
  std::array<Ticket, 4> tickets;
  for (int round = 0; round < 4; ++round) {
    const Stamp stamp = bed.write(tickets.size() * bytes, bed.stream());
    for (std::size_t i = 0; i < tickets.size(); ++i) {
      tickets[i] = ring.record(bed.source(i * bytes, bytes), bed.stream());
    }
    ring.arm(tickets, bed.stream());
    for (std::size_t i = 0; i < tickets.size(); ++i) {
      compare_at_once(ring, tickets[i], bed, path, bed.source(i * bytes, bytes), stamp);
    }
  }
}

// The lines of a slot are in the host's caches from the round before. Where a copy does not throw them out, or is
// itself still in a cache of the device when its event is over, the bytes are those of that round.
void slots_used_again(SelfTestBed& bed, SelfTestPath& path) {
  constexpr int rounds = 32;
  constexpr std::size_t capacity = 4096;
  std::array<Ticket, 8> tickets;
  ReadbackRing ring = make_ring(bed, path, tickets.size(), capacity);
  const auto region = [&](std::size_t i) { return bed.source(i * capacity + i, capacity - 64 * i - i % 3); };
  for (int round = 0; round < rounds; ++round) {
    const Stamp stamp = bed.write((tickets.size() + 1) * capacity, bed.stream());
    for (std::size_t i = 0; i < tickets.size(); ++i) tickets[i] = ring.submit(region(i), bed.stream());
    for (std::size_t i = 0; i < tickets.size(); ++i) {
      compare_at_once(ring, tickets[i], bed, path, region(i), stamp);
    }
  }
}

// Of memory that is registered, where the vendor promises that this is coherent.
void slab(SelfTestBed& bed, SelfTestPath& path) {
  ReadbackRing ring = make_ring(bed, path, 2, SlotMemory::slab_from / 2);
  for (int round = 0; round < 4; ++round) {
    const Stamp stamp = bed.write(SelfTestBed::size, bed.stream());
    read_one(ring, bed, path, bed.source(0, SelfTestBed::size / 2), stamp);
  }
}

// The set gives every producer a lane of its own as long as there are lanes.
void lanes(SelfTestBed& bed, SelfTestPath& path) {
  constexpr std::size_t bytes = 3001;
  const std::array producers{bed.stream(), bed.blocking_stream(), StreamRef::legacy(), StreamRef::per_thread()};
  RingSetOptions options;
  options.name = name_of(path);
  options.slots_per_ring = 2;
  options.pinned_budget = std::size_t{1} << 20;
  options.lanes = producers.size();
  options.log = silent();
  RingSet rings{bed.device(), std::move(options)};
  std::array<Ticket, producers.size()> tickets;
  for (int round = 0; round < 4; ++round) {
    const Stamp stamp = bed.write(producers.size() * bytes, bed.stream());
    bed.settle();  // the other producers are in no order with the stream that wrote
    for (std::size_t i = 0; i < producers.size(); ++i) {
      tickets[i] = rings.submit(bed.source(i * bytes, bytes), producers[i]);
    }
    for (std::size_t i = 0; i < producers.size(); ++i) {
      compare_at_once(rings, tickets[i], bed, path, bed.source(i * bytes, bytes), stamp);
    }
  }
}

/// Chunks that are small against the source: their slots are used several times.
Runtime make_runtime(const SelfTestBed& bed) {
  RuntimeOptions options;
  options.chunk_bytes = std::size_t{64} << 10;
  options.chunk_slots = 3;
  options.transfers = 1;
  options.log = silent();
  options.self_test = false;  // this is it
  return Runtime{bed.device(), std::move(options)};
}

void read_large(SelfTestBed& bed, SelfTestPath& path, std::span<std::byte> destination) {
  Runtime runtime = make_runtime(bed);
  const Stamp stamp = bed.write(SelfTestBed::size, bed.stream());
  const DeviceView region = bed.source(1, destination.size());
  runtime.read(destination, region, bed.stream());
  bed.compare(path, destination, region, stamp);
}

void into_pageable(SelfTestBed& bed, SelfTestPath& path) {
  std::vector<std::byte> destination(SelfTestBed::size - 13);
  read_large(bed, path, destination);
}

void into_pinned(SelfTestBed& bed, SelfTestPath& path) {
  read_large(bed, path, bed.pinned().first(SelfTestBed::size - 13));
}

void of_a_snapshot(SelfTestBed& bed, SelfTestPath& path) {
  std::vector<std::byte> destination(SelfTestBed::size);
  const DeviceView region = bed.source(0, destination.size());
  Runtime runtime = make_runtime(bed);
  const Stamp stamp = bed.write(destination.size(), bed.stream());
  bed.fill(Pattern::second, destination.size());
  runtime.async_read("self-test", destination, region, bed.stream(), {.snapshot = true});
  bed.enqueue(Pattern::second, destination.size(), bed.stream());
  runtime.async_wait("self-test");
  bed.compare(path, destination, region, stamp);
}

/// The bytes must be those of the moment of the submission: not of before it, though what wrote them had not run yet,
/// and not of after it, though what overwrites them is there before they are read.
void read_between(SelfTestBed& bed, SelfTestPath& path, StreamRef producer) {
  constexpr std::size_t bytes = SelfTestBed::edge_size;
  ReadbackRing ring = make_ring(bed, path, 2, bytes);
  for (int round = 0; round < 4; ++round) {  // every slot twice
    bed.write(bytes, producer);
    bed.synchronize(producer);
    const Stamp stamp = bed.fill(Pattern::first, bytes);
    bed.fill(Pattern::second, bytes);
    bed.delay(producer);
    bed.enqueue(Pattern::first, bytes, producer);
    const Ticket ticket = ring.submit(bed.source(0, bytes), producer);
    ring.guard_source(ticket, producer);
    bed.enqueue(Pattern::second, bytes, producer);
    compare_at_once(ring, ticket, bed, path, bed.source(0, bytes), stamp);
    bed.synchronize(producer);  // reads the second pattern
  }
}

constexpr TestedPath paths[] = {
    {"ring: plain copies", plain_copies},
    {"ring: pitched 2-D", pitched_2d},
    {"ring: pitched 3-D", pitched_3d},
    {"ring: record and arm", record_and_arm},
    {"ring: slots used again", slots_used_again},
    {"ring: 16 MiB of slots", slab},
    {"ring set: lanes", lanes},
    {"large read: into pageable memory", into_pageable},
    {"large read: into pinned memory", into_pinned},
    {"large read: of a snapshot", of_a_snapshot},
    {"order: non-blocking stream", [](auto& bed, auto& path) { read_between(bed, path, bed.stream()); }},
    {"order: blocking stream", [](auto& bed, auto& path) { read_between(bed, path, bed.blocking_stream()); }},
    {"order: legacy stream", [](auto& bed, auto& path) { read_between(bed, path, StreamRef::legacy()); }},
    {"order: per-thread stream", [](auto& bed, auto& path) { read_between(bed, path, StreamRef::per_thread()); }},
};

}  // namespace

std::span<const TestedPath> tested_paths() noexcept { return paths; }

}  // namespace tailrace::inline TAILRACE_ABI::detail
