// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// The transitions of slots, src/slot.hpp as it ships, under every order of the accesses of two and three threads.

#include "src/slot.hpp"
#include "tests/model/explorer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace tailrace::detail {
namespace {

using model::require;

/// Every submission's bytes are its sequence number; an ERROR's status carries it too.
constexpr std::uint64_t first = ~std::uint64_t{0};  // so that the second submission is number 0
constexpr std::uint64_t second = first + 1;

/// Some slots with what the ring has beside them, and the threads of a ring reduced to what they do with a slot.
template <class SlotType, std::size_t slots>
struct World {
  struct Memory {
    std::uint64_t bytes = 0;
    bool copying = false;
    unsigned readers = 0;
    model::Object object;
    void changed() { model::has_stored(object, bytes << 8U | readers << 1U | (copying ? 1U : 0U)); }
  };
  std::array<SlotType, slots> slot;
  std::array<Memory, slots> memory;
  std::array<std::array<unsigned, 2>, slots>
      ended{};  // how often each ticket was: collected, discarded, or told failed

  static std::size_t index(std::uint64_t sequence) { return sequence == first ? 0 : 1; }
  void end_ticket(std::size_t at, std::uint64_t sequence) {
    require(++ended[at][index(sequence)] == 1, "a ticket ends once");
  }

  /// The submitter: takes the slot if it is free, and has the copy begin.
  bool submit(std::size_t at, std::uint64_t sequence) {
    if (slot[at].view().phase != Phase::free) return false;
    model::arrive();
    require(!memory[at].copying, "a slot is free only when its copy is over");
    require(memory[at].readers == 0, "a slot is free only when nobody reads it");
    memory[at].copying = true;
    memory[at].changed();
    slot[at].publish({.sequence = sequence}, Phase::pending);
    return true;
  }
  /// Completion: the copy ends, and is proven over; or cannot be, until later.
  void complete(std::size_t at, std::uint64_t sequence, bool may_fail) {
    if (may_fail && model::choose(2) == 1) slot[at].fail(sequence, {backend::Outcome::failed, 1});
    model::arrive();
    require(memory[at].copying, "the copy of a slot that is proven over was under way");
    require(memory[at].readers == 0, "nobody reads while the copy is under way");
    memory[at].bytes = sequence;
    memory[at].copying = false;
    memory[at].changed();
    slot[at].prove(sequence);
  }
  /// visit() and collect(), once.
  void collect(std::size_t at, std::uint64_t sequence, bool may_keep) {
    if (slot[at].claim(sequence)) {
      read(at, sequence);
      if (may_keep && model::choose(2) == 1) return slot[at].keep();
      end_ticket(at, sequence);
      return slot[at].release();
    }
    const auto now = slot[at].view();
    if (!now.of(sequence) || (now.phase != Phase::error_open && now.phase != Phase::error_over)) return;
    backend::Status status;
    if (!slot[at].settle(sequence, status)) return;
    require(status.code == 1, "a failure is told with its cause");
    end_ticket(at, sequence);
  }
  void read(std::size_t at, std::uint64_t sequence) {
    Memory& m = memory[at];
    model::arrive();
    require(++m.readers == 1, "bytes have one reader");
    require(!m.copying, "bytes are read only when their copy is over");
    require(m.bytes == sequence, "a ticket gives its own bytes");
    m.changed();
    model::arrive();
    --m.readers;
    m.changed();
  }
  void discard(std::size_t at, std::uint64_t sequence) {
    if (slot[at].give_up(sequence)) end_ticket(at, sequence);
  }
  /// Whatever happened: what is left can be collected, and every slot is free in the end.
  void end() {
    for (std::size_t at = 0; at < slots; ++at) {
      const auto now = slot[at].view();
      if (now.phase != Phase::free) collect(at, now.of(first) ? first : second, false);
      require(slot[at].view().phase == Phase::free, "every slot becomes free");
    }
  }
};

/// Claims with a load and a store instead of one compare-and-swap: two can win.
class SlotWithoutCompareAndSwap : public Slot {
 public:
  Change claim(std::uint64_t sequence) noexcept {
    const View now = view();
    if (!now.of(sequence) || now.phase != Phase::ready) return {.before = now.phase};
    publish({.sequence = sequence}, Phase::reading);
    return {.before = Phase::ready, .changed = true};
  }
};
/// Takes a discarded slot for free at once, before its copy is proven over.
class SlotFreeTooEarly : public Slot {
 public:
  Change give_up(std::uint64_t sequence) noexcept {
    const Change change = Slot::give_up(sequence);
    if (change.before == Phase::pending && change.changed) prove(sequence);
    return change;
  }
};
/// Does not compare the sequence number: a stale ticket reaches its successor.
class SlotWithoutSequence : public Slot {
 public:
  Change claim(std::uint64_t) noexcept { return Slot::claim(occupant().sequence); }
};

template <class SlotType, std::size_t slots>
model::Report explore(const std::vector<std::function<void(World<SlotType, slots>&)>>& threads,
                      const char* name = nullptr) {
  const model::Report report = model::explore([&] {
    auto world = std::make_shared<World<SlotType, slots>>();
    for (std::size_t at = 0; at < slots; ++at) world->submit(at, first);
    model::Program program;
    for (const auto& thread : threads) program.threads.emplace_back([world, &thread] { thread(*world); });
    program.end = [world] { world->end(); };
    return program;
  });
  if (name != nullptr) {
    std::printf("%s: %llu states, %llu executions, %llu accesses\n", name,
                static_cast<unsigned long long>(report.states), static_cast<unsigned long long>(report.executions),
                static_cast<unsigned long long>(report.accesses));
  }
  return report;
}

template <class SlotType>
std::vector<std::function<void(World<SlotType, 1>&)>> claim_and_discard() {
  return {[](auto& w) { w.complete(0, first, true); }, [](auto& w) { w.collect(0, first, true); },
          [](auto& w) {
            w.collect(0, first, false);
            w.discard(0, first);
          }};
}

/// The slot is used twice; the tickets of the first use are still around at the second.
template <class SlotType>
std::vector<std::function<void(World<SlotType, 1>&)>> second_use() {
  return {[](auto& w) {
            w.complete(0, first, true);
            if (w.submit(0, second)) w.complete(0, second, false);
          },
          [](auto& w) {
            w.collect(0, first, false);
            w.collect(0, first, false);
          },
          [](auto& w) {
            w.discard(0, first);
            w.collect(0, second, false);
          }};
}

TEST(SlotModel, OneTicketIsEndedOnceWhoeverCollectsOrDiscardsIt) {
  const auto report = explore(claim_and_discard<Slot>(), "one ticket, three threads");
  EXPECT_EQ(report.failure, "");
  EXPECT_TRUE(report.complete);
  EXPECT_GT(report.states, 100U);
}

TEST(SlotModel, AStaleTicketDoesNotReachItsSuccessorAlsoWhenTheSequenceWraps) {
  const auto report = explore(second_use<Slot>(), "a slot used twice, three threads");
  EXPECT_EQ(report.failure, "");
  EXPECT_TRUE(report.complete);
}

TEST(SlotModel, SlotsDoNotTouchEachOther) {
  const auto report = explore<Slot, 2>({[](auto& w) {
                                          w.complete(0, first, true);
                                          w.complete(1, first, true);
                                        },
                                        [](auto& w) {
                                          w.collect(0, first, true);
                                          w.collect(1, first, false);
                                        },
                                        [](auto& w) {
                                          w.discard(1, first);
                                          w.collect(0, first, false);
                                        }},
                                       "two slots, three threads");
  EXPECT_EQ(report.failure, "");
  EXPECT_TRUE(report.complete);
}

// The explorer itself: it finds what is broken on purpose.

TEST(Explorer, FindsAClaimThatIsNoCompareAndSwap) {
  EXPECT_NE(explore(claim_and_discard<SlotWithoutCompareAndSwap>()).failure, "");
}

TEST(Explorer, FindsASlotThatIsFreeBeforeItsCopyIsOver) {
  EXPECT_EQ((explore<SlotFreeTooEarly, 1>({[](auto& w) { w.discard(0, first); }, [](auto& w) { w.submit(0, second); },
                                           [](auto& w) { w.complete(0, first, false); }})
                 .failure),
            "a slot is free only when its copy is over");
}

TEST(Explorer, FindsATicketThatReachesItsSuccessor) {
  EXPECT_NE(explore(second_use<SlotWithoutSequence>()).failure, "");
}

TEST(Explorer, FindsADeadlock) {
  const model::Report report = model::explore([] {
    struct Locks {
      Mutex a, b;
    };
    const auto locks = std::make_shared<Locks>();
    const auto lock = [locks](Mutex& one, Mutex& other) {
      const std::scoped_lock first_one{one};
      const std::scoped_lock then{other};
    };
    return model::Program{{[=] { lock(locks->a, locks->b); }, [=] { lock(locks->b, locks->a); }}, {}};
  });
  EXPECT_EQ(report.failure, "the threads wait for each other");
}

TEST(Explorer, TakesEveryOrderOfTwoStores) {
  std::array<unsigned, 3> seen{};
  const model::Report report = model::explore([&] {
    const auto shared = std::make_shared<Atomic<unsigned>>(0U);
    const auto store = [shared](unsigned value) { shared->store(value, std::memory_order_relaxed); };
    return model::Program{{[=] { store(1); }, [=] { store(2); }},
                          [shared, &seen] { ++seen[shared->load(std::memory_order_relaxed)]; }};
  });
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.executions, 2U);
  EXPECT_EQ(seen, (std::array<unsigned, 3>{0, 1, 1}));
}

}  // namespace
}  // namespace tailrace::detail
