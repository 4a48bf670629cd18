// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/soak/load.hpp"

#include <array>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace soak {

using tailrace::DeviceView;
using tailrace::Ticket;

Load::Load(World& world, unsigned thread)
    : world_{world},
      random_{world.options.seed + thread},
      name_{std::to_string(thread)},
      pinned_{static_cast<std::byte*>(test::pinned_allocate(largest_read)), largest_read} {}

Load::~Load() {
  stream_.synchronize();  // kernels that nothing waited for write to the buffer
  test::pinned_free(pinned_.data());
}

void Load::turn() {
  // Small readbacks are most of it.
  static constexpr std::array<std::pair<unsigned, void (Load::*)()>, 9> ways{
      {{70, &Load::small_readbacks},
       {78, &Load::overwritten_sources},
       {83, &Load::recorded},
       {87, &Load::waiting_for_a_slot},
       {91, &Load::rings_that_are_given_up},
       {92, &Load::a_ring_of_its_own},
       {95, &Load::tagged_jobs},
       {98, &Load::large_read},
       {100, &Load::large_read_of_an_overwritten_source}}};
  const std::size_t chosen = below(random_, 100);
  try {
    for (const auto& [limit, way] : ways) {
      if (chosen < limit) return (this->*way)();
    }
  } catch (const tailrace::Error& error) {
    if (is_refusal(error.errc())) return Tally::add(tally_.refused);
    if (world_.options.faults && is_injected(error.errc())) return;
    world_.complaints.add(error.what());
  }
}

std::size_t Load::some_offset(std::size_t bytes) { return below(random_, world_.stamps.size() - bytes + 1); }

template <class Rings>
void Load::submit_some(Batch<Rings>& batch, std::size_t most) {
  if (below(random_, 16) == 0) {
    const std::size_t rows = 1 + below(random_, 4);
    const std::size_t offset = some_offset(rows * row_pitch);
    DeviceView view = world_.stamps.view(offset, row_bytes);
    view.height = rows;
    view.pitch = row_pitch;
    batch.submit(view, stream_, {.kind = Expected::Kind::rows_of_stamps, .what = offset});
    return;
  }
  const std::size_t bytes = 1 + below(random_, most);
  const std::size_t offset = some_offset(bytes);
  batch.submit(world_.stamps.view(offset, bytes), stream_, {.what = offset});
}

void Load::small_readbacks() {
  auto readbacks = batch(world_.runtime.rings());
  for (int i = 0; i < 512; ++i) {
    if (readbacks.size() == 48) readbacks.finish_oldest();
    submit_some(readbacks, 256);
  }
  readbacks.finish_all();
}

void Load::overwritten_sources() {
  auto readbacks = batch(world_.runtime.rings());
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t value = random_();
    const std::size_t words = 1 + below(random_, small_source / sizeof value);
    test::stamp(own_, 0, words, value, stream_);
    const Ticket ticket = readbacks.submit({own_.data(), words * sizeof value}, stream_,
                                           {.kind = Expected::Kind::one_value, .what = value});
    world_.runtime.guard_source(ticket, stream_);
    if (readbacks.size() == 8) readbacks.finish_oldest();
  }
  readbacks.finish_all();
}

void Load::recorded() {
  auto readbacks = batch(world_.contended);
  std::vector<Ticket> tickets;
  std::vector<Expected> expected;
  const std::size_t wanted = 1 + below(random_, 6);
  try {
    while (tickets.size() < wanted) {
      const std::size_t bytes = 1 + below(random_, 512);
      const std::size_t offset = some_offset(bytes);
      tickets.push_back(world_.contended.record(world_.stamps.view(offset, bytes), stream_));
      expected.push_back({.what = offset});
    }
  } catch (const tailrace::Error& error) {
    if (!is_refusal(error.errc()) && !world_.options.faults) throw;
    Tally::add(tally_.refused);
  }
  // What is recorded must be armed to be got rid of.
  for (bool armed = false; !armed;) {
    try {
      world_.contended.arm(tickets, stream_);
      armed = true;
    } catch (const tailrace::Error& error) {
      if (!world_.options.faults || !is_injected(error.errc())) throw;
    }
  }
  for (std::size_t i = 0; i < tickets.size(); ++i) readbacks.add(tickets[i], expected[i]);
  readbacks.finish_all();
}

void Load::waiting_for_a_slot() {
  auto readbacks = batch(world_.contended);
  for (int i = 0; i < 16; ++i) {
    const std::size_t bytes = 1 + below(random_, 4096);
    const std::size_t offset = some_offset(bytes);
    readbacks.add(
        world_.contended.submit_for(world_.stamps.view(offset, bytes), stream_, std::chrono::milliseconds{100}),
        {.what = offset});
    if (readbacks.size() == 2) readbacks.finish_oldest();
  }
  readbacks.finish_all();
}

void Load::rings_that_are_given_up() {
  auto readbacks = batch(world_.tight);
  for (int i = 0; i < 4; ++i) submit_some(readbacks, std::size_t{128} << 10);
  readbacks.finish_all();
}

void Load::a_ring_of_its_own() {
  tailrace::ReadbackRing ring{
      world_.device,
      {.name = "own",
       .slots = static_cast<unsigned>(2 + below(random_, 7)),
       .capacity = std::size_t{1024} << below(random_, 4),
       .wait_mode = below(random_, 2) == 0 ? tailrace::WaitMode::sleep : tailrace::WaitMode::spin,
       .log = world_.log()}};
  try {
    auto readbacks = batch(ring);
    for (int i = 0; i < 32; ++i) submit_some(readbacks, ring.capacity());
    readbacks.finish_all();
  } catch (const tailrace::Error& error) {
    if (!is_refusal(error.errc()) && !(world_.options.faults && is_injected(error.errc()))) throw;
    Tally::add(tally_.refused);
  }
  if (!ring.close(std::chrono::seconds{10}).drained) world_.complaints.add("a ring was not drained within 10 s");
  world_.add(ring.statistics());
}

void Load::tagged_jobs() {
  std::vector<std::uint64_t> results(8);
  const auto tag = [this](std::size_t i) { return name_ + "." + std::to_string(i); };
  for (std::size_t i = 0; i < results.size(); ++i) {
    world_.runtime.async_load(tag(i), [&results, i] {
      if (i == 3) throw std::out_of_range{"as intended"};
      std::vector<std::uint64_t> numbers(1000 + i);
      std::iota(numbers.begin(), numbers.end(), 0U);
      results[i] = std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
    });
  }
  bool right = false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::uint64_t n = 1000 + i;
    try {
      world_.runtime.async_wait(tag(i));
      right = i != 3 && results[i] == n * (n - 1) / 2;
    } catch (const std::out_of_range&) {
      right = i == 3;
    }
    if (!right) world_.complaints.add("a tagged job had another outcome than it should");
  }
  world_.runtime.overlap_copy_compute(name_, [&] { results[3] = 7; }, [this] { small_readbacks(); });
  if (results[3] != 7) world_.complaints.add("an overlapped copy was not there when it should be");
  Tally::add(tally_.jobs, results.size() + 1);
}

void Load::check_read(bool good, std::size_t bytes) {
  Tally::add(tally_.reads);
  Tally::add(tally_.read_bytes, bytes);
  if (good) return;
  Tally::add(tally_.torn);
  world_.complaints.add("torn: a large read of " + std::to_string(bytes) + " bytes");
}

void Load::large_read() {
  // A direct read that fails may go on writing its destination, which could then not be judged any more.
  const bool direct = !world_.options.faults && below(random_, 4) == 0;
  const std::size_t bytes = 1 + below(random_, largest_read);
  const std::size_t offset = some_offset(bytes);
  const std::span<std::byte> to = (direct ? pinned_ : std::span{pageable_}).first(bytes);
  const DeviceView from = world_.stamps.view(offset, bytes);
  const tailrace::ReadOptions options{.snapshot = below(random_, 4) == 0};
  if (below(random_, 2) == 0) {
    world_.runtime.read(to, from, stream_, options);
  } else {
    world_.runtime.async_read(name_, to, from, stream_, options);
    world_.runtime.async_wait(name_);
  }
  check_read(world_.stamps.are(to, offset), bytes);
}

void Load::large_read_of_an_overwritten_source() {
  const std::uint64_t value = random_();
  const std::size_t words = 1 + below(random_, large_source / sizeof value);
  const std::span<std::byte> to = std::span{pageable_}.first(words * sizeof value);
  const bool snapshot = below(random_, 2) == 0;
  test::stamp(own_, 0, words, value, stream_);
  world_.runtime.async_read(name_, to, {own_.data(), to.size()}, stream_, {.snapshot = snapshot});
  try {
    if (!snapshot) world_.runtime.guard_source(name_, stream_);
    test::stamp(own_, 0, words, ~value, stream_);
  } catch (const tailrace::Error&) {  // the read failed, which its wait says too; or the source could not be guarded
    if (!world_.options.faults) {
      world_.runtime.async_wait(name_);
      throw;
    }
  }
  world_.runtime.async_wait(name_);
  check_read(every_word_is(to, value), to.size());
}

}  // namespace soak
