// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/enumeration/readbacks.hpp"
#include "tests/enumeration/scenarios.hpp"

#include <tailrace/testing.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <utility>

namespace enumeration {

using tailrace::Errc;
using tailrace::ReadbackRing;
using tailrace::RingOptions;
using tailrace::Ticket;
namespace control = tailrace::control;
using Ring = Readbacks<ReadbackRing>;

namespace {

RingOptions options(const Told& told, unsigned slots, std::size_t capacity = 256) {
  RingOptions made;
  made.name = "residual";
  made.slots = slots;
  made.capacity = capacity;
  made.close_bound = longer_than_a_run;
  made.log = told.handler();
  return made;
}

void small_readbacks(Invariants& check) {
  const Told& told = check.told();
  const auto ring = check.make<ReadbackRing>(0, options(told, 3));
  if (!ring) return;
  Ring readbacks{check, *ring, told, stage()};
  for (int round = 0; round < 2; ++round) {
    readbacks.submit(32);
    readbacks.guard_newest();
    readbacks.submit(1, Ring::by_try_submit);
    readbacks.submit(0);
    readbacks.collect_oldest();
    if (readbacks.submit(2)) readbacks.discard_newest();
    check.attempt("poll", [&] { ring->poll(); });
    readbacks.settle();
  }
  readbacks.work_on(3);
}

void two_steps(Invariants& check) {
  const Told& told = check.told();
  const auto ring = check.make<ReadbackRing>(0, options(told, 3));
  if (!ring) return;
  Ring readbacks{check, *ring, told, stage()};
  for (int round = 0; round < 2; ++round) {
    readbacks.submit(4, Ring::by_record);
    readbacks.submit(4, Ring::by_record);
    // A ticket that cannot be armed stays in its slot.
    if (!check.insist("arm", [&] { ring->arm(readbacks.tickets(), stage().producer()); })) return readbacks.settle();
    readbacks.guard_newest();
    readbacks.settle();
    readbacks.submit(4);
    readbacks.settle();
  }
  readbacks.work_on(3);
}

/// A full ring, and a thread that waits for a slot while the device is busy.
void saturated_with_a_waiter(Invariants& check) {
  const Told& told = check.told();
  const auto ring = check.make<ReadbackRing>(0, options(told, 2));
  if (!ring) return;
  Ring readbacks{check, *ring, told, stage()};
  const Stage::Stamped late = stage().stamp(8);
  std::optional<Ticket> ticket;
  {
    test::Hold hold{stage().producer()};
    readbacks.submit(8);
    readbacks.submit(8);
    std::atomic<bool> returned{false};
    std::jthread waiter{[&] {
      check.attempt("submit_for", [&] { ticket = ring->submit_for(late.view, stage().producer(), longer_than_a_run); });
      returned = true;
    }};
    // It has looked, and found the slot PENDING.
    while (ring->statistics().stalls == 0 && !returned) std::this_thread::yield();
    if (!check.faulty()) {
      try {
        readbacks.add(ring->submit(late.view, stage().producer()), late.value);
        check.require(check.faulty(), "a submission came before a waiter");
      } catch (const tailrace::Error& error) {
        check.require(error.errc() == Errc::slot_promised || check.faulty(), error.what());
      }
    }
    hold.release();
    control::settle_streams();
    readbacks.collect_oldest();
  }
  if (ticket) readbacks.add(*ticket, late.value);
  readbacks.settle();
  readbacks.work_on(2);
}

/// Copies that cannot end: whatever is made of their tickets, no slot of theirs is used again before they are over.
void held_in_flight(Invariants& check) {
  const Told& told = check.told();
  const auto ring = check.make<ReadbackRing>(0, options(told, 2));
  if (!ring) return;
  Ring readbacks{check, *ring, told, stage()};
  {
    const test::Hold hold{stage().producer()};
    const bool full = readbacks.submit(8) && readbacks.submit(8);
    check.attempt("poll", [&] { ring->poll(); });
    for (const Ticket& ticket : readbacks.tickets()) {
      check.require(ring->state(ticket) != tailrace::SlotState::ready, "a copy that is held is said to be over");
    }
    readbacks.collect_failed();
    const Stage::Stamped next = stage().stamp(8);
    try {
      readbacks.add(ring->submit(next.view, stage().producer()), next.value);
      check.require(!full, "a slot was used again before its copy was over");
    } catch (const tailrace::Error& error) {
      // The submission looks itself, and may be the one that meets the fault.
      const bool met = error.errc() == Errc::slot_error && check.faulty();
      if (error.errc() != Errc::slot_pending && !met) check.judge("a submission to a full ring", error);
    }
  }
  control::settle_streams();
  readbacks.settle();
  readbacks.work_on(2);
}

/// Only one of them is hit; the other does not notice.
void two_devices(Invariants& check) {
  const std::array told{&check.told(), &check.told()};
  std::array<std::unique_ptr<ReadbackRing>, 2> rings;
  for (int device = 0; device < 2; ++device) {
    const auto at = static_cast<std::size_t>(device);
    rings[at] = check.make<ReadbackRing>(device, options(*told[at], 2));
    if (!rings[at]) return;
  }
  Ring first{check, *rings[0], *told[0], stage(0)};
  Ring second{check, *rings[1], *told[1], stage(1)};
  for (int round = 0; round < 2; ++round) {
    first.submit(8);
    second.submit(8);
    second.guard_newest();
    first.collect_oldest();
    second.collect_oldest();
  }
  first.settle();
  second.settle();
  first.work_on(2);
  second.work_on(2);
}

/// Registered memory in place of the driver's allocation.
void slab(Invariants& check) {
  const Told& told = check.told();
  const auto ring = check.make<ReadbackRing>(0, options(told, 2, std::size_t{8} << 20));
  if (!ring) return;
  Ring readbacks{check, *ring, told, stage()};
  readbacks.submit(1024);
  readbacks.settle();
  readbacks.work_on(2);
}

/// Nothing is collected; all copies can end.
void closed_with_results(Invariants& check) {
  const Told& told = check.told();
  const auto ring = check.make<ReadbackRing>(0, options(told, 4));
  if (!ring) return;
  Ring readbacks{check, *ring, told, stage()};
  readbacks.submit(8);
  readbacks.submit(8);
  if (readbacks.submit(8, Ring::by_record))
    check.insist("arm", [&] { ring->arm(readbacks.tickets().back(), stage().producer()); });
  if (readbacks.submit(8)) readbacks.discard_newest();
  check.attempt("close", [&] {
    const tailrace::CloseReport report = ring->close(longer_than_a_run);
    check.require(report.drained || check.faulty(), "copies are not over");
  });
  check.refused("a submission to a closed ring", Errc::closed,
                [&] { static_cast<void>(ring->submit(stage().stamp(1).view, stage().producer())); });
  readbacks.collect_oldest();
}

/// Destroyed while copies may still be written to its memory, which is kept.
void destroyed_in_flight(Invariants& check) {
  const Told& told = check.told();
  const test::Hold hold{stage().producer()};
  RingOptions impatient = options(told, 4);
  impatient.copy_stream = stage().other();
  impatient.close_bound = std::chrono::nanoseconds{0};
  const auto ring = check.make<ReadbackRing>(0, impatient);
  if (!ring) return;
  Ring readbacks{check, *ring, told, stage()};
  readbacks.submit(8);
  readbacks.guard_newest();
  readbacks.submit(8, Ring::by_record);
  if (readbacks.submit(8)) readbacks.discard_newest();
  check.attempt("close", [&] {
    const tailrace::CloseReport report = ring->close(std::chrono::nanoseconds{0});
    check.require(check.faulty() || report.in_flight == 3, "copies in flight are not reported");
  });
}

}  // namespace

std::vector<Scenario> ring_scenarios() {
  return {{"ring", small_readbacks},
          {"ring_two_steps", two_steps},
          {"ring_saturated", saturated_with_a_waiter},
          {"ring_held", held_in_flight},
          {"ring_two_devices", two_devices},
          {"ring_slab", slab},
          {"ring_closed", closed_with_results},
          {"ring_destroyed", destroyed_in_flight}};
}

}  // namespace enumeration
