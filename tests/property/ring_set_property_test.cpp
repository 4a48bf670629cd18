// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Any sequence of submissions of all sizes, with a budget that is too small for all of them. RC_PARAMS as in
// ring_property_test.cpp.

#include <tailrace/error.hpp>
#include <tailrace/ring_set.hpp>
#include <tailrace/testing.hpp>

#include "tests/support/device.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace {

using tailrace::Errc;

enum Kind { submit, collect, discard, take_handle, drop_handle, poll, kinds };

RC_GTEST_PROP(RingSetProperty, NothingIsLostAndTheBudgetIsKept, ()) {
  constexpr std::size_t page = 4096;
  constexpr std::size_t budget = 24 * page;
  const auto calls = *rc::gen::container<std::vector<std::pair<int, std::size_t>>>(rc::gen::pair(
      rc::gen::weightedOneOf<int>({{3, rc::gen::just<int>(submit)}, {4, rc::gen::inRange<int>(0, kinds)}}),
      rc::gen::inRange<std::size_t>(1, 14 * page)));
  std::vector<std::byte> pattern(14 * page);
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<std::byte>(i * 7 + i / 251);
  test::Buffer source{pattern.size()};
  source.upload(pattern);
  test::Stream stream;
  tailrace::RingSet set{tailrace::Device{0}, {.slots_per_ring = 4, .pinned_budget = budget, .log = [](auto, auto) {}}};
  std::deque<tailrace::Ticket> tickets;
  std::vector<std::shared_ptr<tailrace::ReadbackRing>> handles;
  const auto take = [&](const tailrace::Ticket& ticket) {
    const std::vector<std::byte> bytes = set.collect(ticket);
    RC_ASSERT(std::ranges::equal(bytes, std::span{pattern}.first(bytes.size())));
    RC_ASSERT(bytes.size() == ticket.size());
  };
  for (const auto& [kind, bytes] : calls) {
    try {
      if (kind == submit) tickets.push_back(set.submit({source.data(), bytes}, stream));
      if (kind == take_handle) handles.push_back(set.ring_for(bytes));
    } catch (const tailrace::Error& error) {
      const Errc code = error.errc();
      RC_ASSERT(code == Errc::budget_exceeded || code == Errc::slot_pending || code == Errc::slot_ready ||
                code == Errc::slot_discarded);
      // With nothing in use there is room for two slots of any size that fits into the budget at all.
      const bool in_use = !tickets.empty() || !handles.empty() || code == Errc::slot_discarded;
      RC_ASSERT(in_use || 2 * tailrace::capacity_class(bytes) > budget || set.statistics().discarded != 0);
    }
    if (kind == poll) set.poll();
    if (kind == drop_handle) handles.clear();
    if ((kind == collect || kind == discard) && !tickets.empty()) {
      const tailrace::Ticket ticket = tickets.front();
      tickets.pop_front();
      if (kind == collect) take(ticket);
      if (kind == discard) set.discard(ticket);
      RC_ASSERT_THROWS_AS(set.discard(ticket), tailrace::Error);
    }
    RC_ASSERT(set.pinned_bytes() <= budget);
    RC_ASSERT(set.pinned_bytes() == tailrace::control::resources().pinned_bytes);
    for (const auto& ring : handles) RC_ASSERT(ring->slots() >= 2U);
  }
  for (const tailrace::Ticket& ticket : tickets) take(ticket);
}

}  // namespace
