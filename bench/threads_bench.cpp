// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// P5. What does a readback of 4 KiB cost when many threads read at once, each after its own producer stream? Through
// one ring set, against one copy stream that the threads share, with an event per copy.

#include <tailrace/ring_set.hpp>

#include "bench/support/event_ring.hpp"
#include "bench/support/read_pieces.hpp"
#include "bench/support/row.hpp"
#include "bench/support/team.hpp"
#include "bench/support/window.hpp"

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace bench;

constexpr std::size_t bytes = 4096;
constexpr std::size_t depth = 16;                               // of a thread
constexpr std::size_t readbacks = plain::on_host ? 128 : 1024;  // of a thread in a turn

/// By hand, for threads that share a copy stream: the lock keeps the calls of one readback together on it.
class SharingRing : public plain::EventRing {
 public:
  SharingRing(tailrace::StreamRef copy_stream, std::mutex& mutex)
      : plain::EventRing{bytes, depth, copy_stream}, mutex_{mutex} {}
  void submit(const void* source, tailrace::StreamRef producer) {
    const std::lock_guard lock{mutex_};
    plain::EventRing::submit(source, producer);
  }

 private:
  std::mutex& mutex_;
};

/// Has every thread read until each has a lane of its own: one that asks while a lane is being made shares another for
/// now.
void settle_lanes(Team& team, std::vector<Window<tailrace::RingSet>>& windows, const tailrace::RingSet& rings,
                  const Source& source, const std::vector<test::Stream>& producers) {
  constexpr int rounds = 1000;
  for (int round = 0; rings.rings() < windows.size(); ++round) {
    if (round == rounds) throw std::runtime_error{"the threads do not get a lane each. Fix: raise the pinned budget"};
    team.run([&](unsigned i) { read_pieces(windows[i], source, 1, producers[i], Check::all); });
  }
}

void threads_at_once(benchmark::State& state, Row row, unsigned threads) {
  const Source source{bytes, 61};
  std::vector<test::Stream> producers(threads);
  test::Stream copy_stream;
  std::mutex mutex;
  // The lanes share the slots: each has more of them than a thread has readbacks in flight, so that none is refused.
  tailrace::RingSet rings{tailrace::Device{0},
                          {.slots_per_ring = 256, .lanes = threads, .wait_mode = tailrace::WaitMode::spin}};
  std::vector<std::unique_ptr<SharingRing>> by_hand;
  std::vector<Window<tailrace::RingSet>> windows;
  for (unsigned i = 0; i < threads; ++i) {
    by_hand.push_back(std::make_unique<SharingRing>(copy_stream, mutex));
    windows.emplace_back(rings, bytes, depth);
  }
  Team team{threads};
  settle_lanes(team, windows, rings, source, producers);
  team.run([&](unsigned i) {
    read_pieces(*by_hand[i], source, readbacks, producers[i], Check::all);
    read_pieces(windows[i], source, readbacks, producers[i], Check::all);
  });
  row.work = static_cast<double>(threads * readbacks);
  take_turns(
      state, row,
      [&] { return team.run([&](unsigned i) { read_pieces(*by_hand[i], source, readbacks, producers[i]); }); },
      [&] { return team.run([&](unsigned i) { read_pieces(windows[i], source, readbacks, producers[i]); }); });
}

const bool registered = [] {
  add("threads/shared_stream", [](auto& state) { threads_at_once(state, {.name = "P5", .goal = 3}, 8); });
  for (const unsigned threads : {1U, 2U, 4U, 8U}) {
    add("threads/threads:" + std::to_string(threads), [=](auto& state) {
      threads_at_once(state, {.name = "curve/threads", .x = static_cast<double>(threads)}, threads);
    });
  }
  return true;
}();

}  // namespace
