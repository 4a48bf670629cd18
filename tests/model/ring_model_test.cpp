// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Rings, src/ring_core.cpp and src/completion.cpp as they ship, on a device of the model's: every order of the accesses
// of two and three threads and the device, with at most so many interruptions.
//
// TAILRACE_MODEL_INTERRUPTIONS=<n> explores further than the tests do by default.

#include <tailrace/error.hpp>
#include <tailrace/ring.hpp>

#include "src/counters.hpp"
#include "tests/model/device.hpp"
#include "tests/model/explorer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

namespace {

using model::require;
using tailrace::Errc;
using tailrace::Error;
using tailrace::SlotState;
using tailrace::StreamRef;
using tailrace::Ticket;

constexpr unsigned slots = 2;

/// A ring of two slots, both in flight, whose sequence numbers wrap with the second.
class World {
 public:
  World(model::Faults faults, unsigned in_flight)
      : device{faults}, ring{tailrace::Device{0}, {.slots = slots, .capacity = 8, .log = [](auto, auto) {}}} {
    static_cast<void>(tailrace::backend::stream_create(0, callers_stream));
    for (unsigned i = 0; i < in_flight; ++i) accepts();
  }

  // What threads do. Each may be refused, if it says so itself; what must not happen is required.

  /// If it is accepted, one more copy is done.
  void submit() {
    if (accepts()) device.do_copy();
  }
  /// Also makes it collectable, and collects it.
  void record() {
    accepting([&] {
      const std::size_t number = next++;
      const Ticket ticket = ring.record({&values[number], sizeof values[number]}, callers_stream);
      tickets[number] = ticket;
      device.do_copy();
      ring.arm(ticket, callers_stream);
      collect(number);
    });
  }
  void visit(std::size_t number) {
    accepting([&] { ring.try_visit(tickets[number], [&](std::span<const std::byte> bytes) { read(number, bytes); }); },
              number);
  }
  void collect(std::size_t number) {
    accepting(
        [&] {
          std::uint64_t value = 0;
          if (!ring.try_collect(tickets[number], std::as_writable_bytes(std::span{&value, 1}))) return;
          require(value == values[number], "a ticket gives its own bytes");
          end(number);
        },
        number);
  }
  void discard(std::size_t number) {
    accepting([&] {
      ring.discard(tickets[number]);
      end(number);
    });
  }
  void poll() { ring.poll(); }
  void look(std::size_t number) { static_cast<void>(ring.state(tickets[number])); }
  void close() { ring.close(std::chrono::nanoseconds{0}); }

  /// All copies are done, and nothing fails any more: every ticket ends, and every slot can be used again.
  void settle() {
    device.calm();
    device.finish();
    for (int i = 0; i < 2; ++i) ring.poll();  // the second one, for what takes a late mark
    for (std::size_t number = 0; number < next; ++number) {
      if (tickets[number] == Ticket{}) continue;  // it was refused
      const SlotState state = ring.state(tickets[number]);
      require(state != SlotState::pending, "every ticket settles");
      require((state == SlotState::free) == (ended[number] == 1), "a result is there until it was taken");
      if (state != SlotState::free) collect(number);
      require(ended[number] == 1, "every ticket ends once");
    }
    const tailrace::CloseReport report = ring.close(std::chrono::nanoseconds{0});
    require(device.lost() || (report.drained && report.uncollected == 0 && report.failed == 0),
            "every slot is free in the end");
    require(ring.statistics().peak_in_flight <= slots, "no more are in flight than there are slots");
  }

 private:
  bool accepts() {
    bool accepted = false;
    accepting([&] {
      const std::size_t number = next++;
      if (const auto ticket = ring.try_submit({&values[number], sizeof values[number]}, StreamRef::legacy())) {
        tickets[number] = *ticket;
        accepted = true;
      }
    });
    return accepted;
  }
  template <class Call>
  void accepting(Call call, std::optional<std::size_t> number = {}) {
    try {
      call();
    } catch (const Error& error) {
      switch (error.errc()) {
        case Errc::copy_failed: return end(number.value());
        case Errc::device_lost: return require(device.lost(), "only a lost device is called lost");
        case Errc::stale_ticket:  // somebody else took it
        case Errc::slot_error:    // of submit(): nobody has taken it yet
        case Errc::slot_discarded:
        case Errc::slot_quarantined:
        case Errc::slot_pending:  // of record()
        case Errc::slot_ready:
        case Errc::slot_reading:
        case Errc::driver_error:
        case Errc::closed: return;
        default: require(false, error.what());
      }
    }
  }
  void read(std::size_t number, std::span<const std::byte> bytes) {
    const auto value = [&] { return *reinterpret_cast<const std::uint64_t*>(bytes.data()); };
    device.begin_reading(bytes.data());
    require(value() == values[number], "a ticket gives its own bytes");
    device.end_reading(bytes.data());
    require(value() == values[number], "bytes stay while they are read");
    end(number);
  }
  void end(std::size_t number) { require(++ended[number] == 1, "a ticket ends once"); }

 public:
  model::Device device;
  std::array<std::uint64_t, 8> values{10, 11, 12, 13, 14, 15, 16, 17};
  std::size_t next = 0;  // submission, accepted or refused
  std::array<Ticket, 8> tickets{};
  tailrace::native_stream callers_stream = nullptr;
  tailrace::ReadbackRing ring;

 private:
  std::array<unsigned, 8> ended{};
};

using Threads = std::vector<std::function<void(World&)>>;

void copies(World& w, int count) {
  for (int i = 0; i < count; ++i) w.device.do_copy();
}

model::Report explore(const Threads& threads, unsigned interruptions, model::Faults faults = {},
                      unsigned in_flight = slots) {
  if (const char* text = std::getenv("TAILRACE_MODEL_INTERRUPTIONS")) {
    interruptions = static_cast<unsigned>(std::strtoul(text, nullptr, 10));
  }
  tailrace::detail::first_sequence = ~std::uint64_t{0};
  const model::Report report = model::explore(
      [&] {
        const auto world = std::make_shared<World>(faults, in_flight);
        model::Program program;
        for (const auto& thread : threads) program.threads.emplace_back([world, &thread] { thread(*world); });
        program.end = [world] { world->settle(); };
        return program;
      },
      {.interruptions = interruptions});
  std::printf("%u interruptions: %llu states, %llu executions, %llu accesses\n", interruptions,
              static_cast<unsigned long long>(report.states), static_cast<unsigned long long>(report.executions),
              static_cast<unsigned long long>(report.accesses));
  return report;
}

void expect_right(const Threads& threads, unsigned interruptions, model::Faults faults = {},
                  unsigned in_flight = slots) {
  const model::Report report = explore(threads, interruptions, faults, in_flight);
  EXPECT_EQ(report.failure, "");
  EXPECT_TRUE(report.complete);
}

TEST(RingModel, AVisitorADiscarderAndThePollerShareATicket) {
  expect_right({[](World& w) { copies(w, 2); }, [](World& w) { w.visit(0); }, [](World& w) { w.discard(0); },
                [](World& w) { w.poll(); }},
               2);
}

TEST(RingModel, ASlotIsUsedAgainWhileItsTicketIsStillAround) {
  expect_right({[](World& w) { copies(w, 2); },
                [](World& w) {
                  w.collect(0);
                  w.visit(0);
                },
                [](World& w) {
                  w.submit();
                  w.submit();
                }},
               2);
}

TEST(RingModel, ADiscardedSlotIsFreeOnlyWhenItsCopyIsOver) {
  expect_right({[](World& w) { copies(w, 2); }, [](World& w) { w.discard(0); },
                [](World& w) {
                  w.submit();
                  w.visit(1);
                }},
               2);
}

TEST(RingModel, AFailedQueryIsToldOnceAndItsSlotComesBack) {
  expect_right({[](World& w) { copies(w, 2); },
                [](World& w) {
                  w.collect(0);
                  w.submit();
                },
                [](World& w) {
                  w.poll();
                  w.discard(1);
                }},
               2, {.queries = 1});
}

TEST(RingModel, AMarkThatCouldNotBeRecordedIsReplaced) {
  expect_right({[](World& w) { copies(w, 2); },
                [](World& w) {
                  w.collect(0);
                  w.submit();
                },
                [](World& w) { w.poll(); }},
               2, {.records = 2});
}

TEST(RingModel, ALostDeviceLeavesNothingPending) {
  expect_right({[](World& w) { copies(w, 2); },
                [](World& w) {
                  w.visit(0);
                  w.submit();
                },
                [](World& w) {
                  w.poll();
                  w.collect(1);
                }},
               1, {.losses = 1});
}

TEST(RingModel, RecordedAndSubmittedCopiesShareARing) {
  expect_right({[](World& w) { copies(w, 1); }, [](World& w) { w.record(); },
                [](World& w) {
                  w.collect(0);
                  w.poll();
                }},
               2, {}, 1);
}

TEST(RingModel, AClosingRingRacesItsUsers) {
  expect_right({[](World& w) { copies(w, 2); },
                [](World& w) {
                  w.visit(0);
                  w.submit();
                },
                [](World& w) { w.close(); }},
               2);
}

TEST(RingModel, FindsADeviceWhoseEventsComeBeforeTheirCopies) {
  EXPECT_NE(
      explore({[](World& w) { copies(w, 2); }, [](World& w) { w.visit(0); }}, 1, {.early_completion = true}).failure,
      "");
}

}  // namespace
