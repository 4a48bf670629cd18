// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/slot.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tailrace::detail {
namespace {

constexpr std::array phases{Phase::free,       Phase::unarmed,    Phase::pending,   Phase::ready,      Phase::reading,
                            Phase::error_open, Phase::error_over, Phase::discarded, Phase::quarantined};
constexpr backend::Status failure{backend::Outcome::failed, 700};

/// Takes a new slot to the phase, by the way that leads there.
void lead_to(Slot& slot, Phase phase, std::uint64_t sequence) {
  backend::Status status;
  const auto begin = [&](Phase at) { slot.publish({.sequence = sequence}, at); };
  switch (phase) {
    case Phase::unarmed:
    case Phase::pending:
    case Phase::ready: begin(phase); break;
    case Phase::free:
    case Phase::reading:
      begin(Phase::ready);
      slot.claim(sequence);
      if (phase == Phase::free) slot.release();
      break;
    case Phase::discarded:
      begin(Phase::pending);
      slot.give_up(sequence);
      break;
    case Phase::error_open:
    case Phase::error_over:
    case Phase::quarantined:
      begin(Phase::pending);
      slot.fail(sequence, failure);
      if (phase == Phase::error_over) slot.prove(sequence);
      if (phase == Phase::quarantined) slot.settle(sequence, status);
      break;
  }
  ASSERT_EQ(slot.view().phase, phase);
}

struct Operation {
  std::string name;
  std::function<Slot::Change(Slot&, std::uint64_t)> apply;
  std::map<Phase, Phase> changes;  ///< every other phase stays
};

const std::vector<Operation>& operations() {
  static backend::Status status;
  static const std::vector<Operation> all{
      {"arm", [](Slot& s, std::uint64_t n) { return s.arm(n); }, {{Phase::unarmed, Phase::pending}}},
      {"prove",
       [](Slot& s, std::uint64_t n) { return s.prove(n); },
       {{Phase::pending, Phase::ready},
        {Phase::error_open, Phase::error_over},
        {Phase::discarded, Phase::free},
        {Phase::quarantined, Phase::free}}},
      {"fail", [](Slot& s, std::uint64_t n) { return s.fail(n, failure); }, {{Phase::pending, Phase::error_open}}},
      {"lose",
       [](Slot& s, std::uint64_t n) { return s.lose(n, failure); },
       {{Phase::pending, Phase::error_open}, {Phase::unarmed, Phase::error_open}}},
      {"claim", [](Slot& s, std::uint64_t n) { return s.claim(n); }, {{Phase::ready, Phase::reading}}},
      {"give_up",
       [](Slot& s, std::uint64_t n) { return s.give_up(n); },
       {{Phase::pending, Phase::discarded},
        {Phase::ready, Phase::free},
        {Phase::error_open, Phase::quarantined},
        {Phase::error_over, Phase::free}}},
      {"settle",
       [](Slot& s, std::uint64_t n) { return s.settle(n, status); },
       {{Phase::error_open, Phase::quarantined}, {Phase::error_over, Phase::free}}},
  };
  return all;
}

TEST(Slot, EveryOperationChangesEveryPhaseAsItsTableSays) {
  for (const Operation& operation : operations()) {
    for (const Phase phase : phases) {
      SCOPED_TRACE(operation.name + " in phase " + std::to_string(static_cast<int>(phase)));
      Slot slot;
      lead_to(slot, phase, 41);
      const auto expected = operation.changes.find(phase);
      const Slot::Change change = operation.apply(slot, 41);
      EXPECT_EQ(change.before, phase);
      EXPECT_EQ(change.changed, expected != operation.changes.end());
      EXPECT_EQ(slot.view().phase, expected != operation.changes.end() ? expected->second : phase);
      EXPECT_TRUE(slot.view().of(41));
    }
  }
}

TEST(Slot, AnotherTicketsSequenceChangesNothing) {
  for (const Operation& operation : operations()) {
    for (const Phase phase : phases) {
      SCOPED_TRACE(operation.name + " in phase " + std::to_string(static_cast<int>(phase)));
      for (const auto& [owner, other] : {std::pair{41ULL, 42ULL}, std::pair{0ULL, ~0ULL}, std::pair{~0ULL, 0ULL}}) {
        Slot slot;
        lead_to(slot, phase, owner);
        EXPECT_FALSE(operation.apply(slot, other));
        EXPECT_EQ(slot.view().phase, phase);
        EXPECT_TRUE(slot.view().of(owner));
      }
    }
  }
}

TEST(Slot, AClaimEndsFreeOrReadyAgain) {
  Slot slot;
  lead_to(slot, Phase::reading, 5);
  slot.keep();
  EXPECT_EQ(slot.view().phase, Phase::ready);
  EXPECT_TRUE(slot.claim(5));
  slot.release();
  EXPECT_EQ(slot.view().phase, Phase::free);
}

TEST(Slot, KeepsTheFirstCauseOfAnError) {
  Slot slot;
  lead_to(slot, Phase::error_open, 5);
  slot.fail(5, {backend::Outcome::failed, 1});
  slot.lose(5, {backend::Outcome::device_lost, 2});
  backend::Status status;
  EXPECT_TRUE(slot.settle(5, status));
  EXPECT_EQ(status.code, failure.code);
}

TEST(Slot, IsShownInFourStates) {
  const std::map<Phase, SlotState> shown{
      {Phase::free, SlotState::free},        {Phase::unarmed, SlotState::pending},
      {Phase::pending, SlotState::pending},  {Phase::ready, SlotState::ready},
      {Phase::reading, SlotState::ready},    {Phase::error_open, SlotState::error},
      {Phase::error_over, SlotState::error}, {Phase::discarded, SlotState::free},
      {Phase::quarantined, SlotState::free},
  };
  for (const Phase phase : phases) EXPECT_EQ(shown_as(phase), shown.at(phase));
}

TEST(Slot, IsWonByExactlyOneOfManyThreads) {
  constexpr int threads = 4;
  constexpr std::uint64_t rounds = 2000;
  Slot slot;
  std::atomic<std::uint64_t> round{0};
  std::atomic<int> winners{0};
  std::atomic<int> done{0};
  std::vector<std::jthread> racers;
  for (int i = 0; i < threads; ++i) {
    racers.emplace_back([&, claims = i % 2 == 0] {
      for (std::uint64_t n = 1; n <= rounds; ++n) {
        while (round.load() < n) std::this_thread::yield();
        if (claims ? bool{slot.claim(n)} : bool{slot.give_up(n)}) winners.fetch_add(1);
        done.fetch_add(1);
      }
    });
  }
  for (std::uint64_t n = 1; n <= rounds; ++n) {
    slot.publish({.sequence = n}, Phase::ready);
    round.store(n);
    while (done.load() != threads * static_cast<int>(n)) std::this_thread::yield();
    ASSERT_EQ(winners.load(), static_cast<int>(n));
    if (slot.view().phase == Phase::reading) slot.release();
  }
}

}  // namespace
}  // namespace tailrace::detail
