// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// How a ring set makes rings within its budget, and gives idle ones up. The rest of it is in ring_set_core.cpp.

#include <tailrace/error.hpp>

#include "src/ring_core.hpp"
#include "src/ring_set_core.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tailrace::inline TAILRACE_ABI {

using detail::RingCore;
using detail::SlotMemory;

RingSet::Core::Lane& RingSet::Core::make(std::size_t capacity, unsigned slots) {
  auto lane = std::make_unique<Lane>();
  lane->capacity = capacity;
  lane->ring = Ring{
      new ReadbackRing{std::make_unique<RingCore>(device_,
                                                  RingOptions{.name = options_.name + "/" + std::to_string(capacity),
                                                              .slots = slots,
                                                              .capacity = capacity,
                                                              .stream_priority = options_.stream_priority,
                                                              .copy_stream = std::nullopt,
                                                              .pinned_source = options_.pinned_source,
                                                              .wait_mode = options_.wait_mode,
                                                              .close_bound = options_.close_bound,
                                                              .log = options_.log},
                                                  fault_)}};
  const std::unique_lock lock{tables_};
  if (closed_.load(std::memory_order_acquire)) refuse_closed("RingSet");  // close() has not seen this ring
  std::vector<std::unique_ptr<Lane>>& lanes = classes_[capacity].lanes;
  lanes.reserve(lanes.size() + 1);
  by_id_.emplace(lane->ring->id(), lane.get());
  lanes.push_back(std::move(lane));
  held_.fetch_add(lanes.back()->ring->pinned_bytes(), std::memory_order_relaxed);
  return *lanes.back();
}

unsigned RingSet::Core::slots_for_first_lane(std::size_t capacity) {
  const std::size_t slot = SlotMemory::bytes_for(1, capacity);
  const std::size_t two = SlotMemory::bytes_for(2, capacity);
  const auto wanted = static_cast<unsigned>(std::clamp<std::size_t>(budget_ / 4 / slot, 2, slots_));
  const auto room = [this] { return budget_ - std::min(budget_, held()); };
  while (room() / slot < wanted && give_up_oldest_idle()) {
  }
  if (room() >= two) return static_cast<unsigned>(std::min<std::size_t>(room() / slot, wanted));
  throw Error{Errc::budget_exceeded,
              "a ring of " + std::to_string(capacity) + "-byte slots needs " + std::to_string(two) +
                  " bytes of pinned memory; of the budget of " + std::to_string(budget_) + " bytes, " +
                  std::to_string(held()) + " are held and " + std::to_string(idle_bytes()) + " of these are idle",
              "collect or discard results, drop ring handles, or raise TAILRACE_PINNED_BUDGET or "
              "RingSetOptions::pinned_budget",
              {.operation = options_.name}};
}

unsigned RingSet::Core::slots_for_further_lane(std::size_t capacity) const {
  const std::size_t quarter = budget_ / 4;
  const std::size_t in_class = quarter - std::min(quarter, class_bytes(capacity));
  const std::size_t in_budget = budget_ - std::min(budget_, held());
  const std::size_t slots = std::min(in_class, in_budget) / SlotMemory::bytes_for(1, capacity);
  return slots < 2 ? 0 : static_cast<unsigned>(std::min<std::size_t>(slots, slots_));
}

bool RingSet::Core::idle(const Lane& lane) noexcept { return lane.ring.use_count() == 1 && lane.ring->core().idle(); }

std::unique_ptr<RingSet::Core::Lane> RingSet::Core::take_out_oldest_idle() {
  const std::unique_lock lock{tables_};
  Lane* oldest = nullptr;
  for (const auto& [id, lane] : by_id_) {
    if ((oldest == nullptr || lane->last_use < oldest->last_use) && idle(*lane)) oldest = lane;
  }
  if (oldest == nullptr) return nullptr;
  Class& rings = classes_.at(oldest->capacity);
  const auto place = std::ranges::find(rings.lanes, oldest, [](const auto& lane) { return lane.get(); });
  std::unique_ptr<Lane> taken = std::move(*place);
  rings.lanes.erase(place);
  std::erase_if(rings.lane_of, [oldest](const auto& entry) { return entry.second.lane == oldest; });
  by_id_.erase(oldest->ring->id());
  given_up_ += oldest->ring->statistics();
  given_up_.pinned_bytes = 0;
  return taken;
}

bool RingSet::Core::give_up_oldest_idle() {
  const std::unique_ptr<Lane> oldest = take_out_oldest_idle();
  if (oldest == nullptr) return false;
  const std::size_t bytes = oldest->ring->pinned_bytes();
  const std::size_t kept = RingCore::end(std::move(oldest->ring->core_));
  held_.fetch_sub(bytes - kept, std::memory_order_relaxed);
  return true;
}

std::size_t RingSet::Core::idle_bytes() const {
  const std::unique_lock lock{tables_};
  std::size_t bytes = 0;
  for (const auto& [id, lane] : by_id_) {
    if (idle(*lane)) bytes += lane->ring->pinned_bytes();
  }
  return bytes;
}

std::size_t RingSet::Core::class_bytes(std::size_t capacity) const {
  const std::shared_lock lock{tables_};
  std::size_t bytes = 0;
  const auto rings = classes_.find(capacity);
  if (rings == classes_.end()) return 0;
  for (const auto& lane : rings->second.lanes) bytes += lane->ring->pinned_bytes();
  return bytes;
}

}  // namespace tailrace::inline TAILRACE_ABI
