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

// Marks a class whose next lane is being made. Begins and ends with the lock held.
class RingSet::Core::Making {
 public:
  Making(Core& core, Class& rings) noexcept : core_{core}, rings_{rings} {
    rings_.being_made = true;
    ++core_.making_;
  }
  ~Making() {
    rings_.being_made = false;
    --core_.making_;
    core_.changed_.notify_all();
  }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

 private:
  Core& core_;
  Class& rings_;
};

/// Null if there is no room for a further lane of the class.
RingSet::Core::Lane* RingSet::Core::make(Lock& lock, std::size_t capacity, const char* operation) {
  check_device(operation);
  Class& rings = classes_[capacity];
  const Making mark{*this, rings};
  const unsigned slots =
      rings.lanes.empty() ? slots_for_first_lane(lock, capacity, operation) : slots_for_further_lane(capacity);
  if (slots == 0) return nullptr;
  const std::size_t bytes = SlotMemory::bytes_for(slots, capacity);
  held_.fetch_add(bytes, std::memory_order_relaxed);  // before the allocation: the room is taken
  std::unique_ptr<Lane> lane;
  try {
    lock.unlock();
    lane = build(capacity, slots);
    lock.lock();
    return &insert(lane, operation);
  } catch (...) {
    if (!lock) lock.lock();
    if (lane) {
      give_up(lock, std::move(lane));
    } else {
      held_.fetch_sub(bytes, std::memory_order_relaxed);
    }
    throw;
  }
}

std::unique_ptr<RingSet::Core::Lane> RingSet::Core::build(std::size_t capacity, unsigned slots) const {
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
  return lane;
}

/// Takes the lane only if it returns.
RingSet::Core::Lane& RingSet::Core::insert(std::unique_ptr<Lane>& lane, const char* operation) {
  if (closed_.load(std::memory_order_acquire)) refuse_closed(operation);  // close() has not seen this ring
  std::vector<std::unique_ptr<Lane>>& lanes = classes_[lane->capacity].lanes;
  lanes.reserve(lanes.size() + 1);
  by_id_.emplace(lane->ring->id(), lane.get());
  return *lanes.emplace_back(std::move(lane));
}

/// Ends a ring that nobody else can reach, and takes it out of the account.
void RingSet::Core::give_up(Lock& lock, std::unique_ptr<Lane> lane) noexcept {
  ++ending_;
  lock.unlock();
  const std::size_t bytes = lane->ring->pinned_bytes();
  const std::size_t kept = RingCore::end(std::move(lane->ring->core_));
  lane.reset();
  lock.lock();
  held_.fetch_sub(bytes - kept, std::memory_order_relaxed);
  --ending_;
  changed_.notify_all();
}

unsigned RingSet::Core::slots_for_first_lane(Lock& lock, std::size_t capacity, const char* operation) {
  const std::size_t slot = SlotMemory::bytes_for(1, capacity);
  const std::size_t two = SlotMemory::bytes_for(2, capacity);
  const auto wanted = static_cast<unsigned>(std::clamp<std::size_t>(budget_ / 4 / slot, 2, slots_));
  const auto room = [this] { return budget_ - std::min(budget_, held()); };
  while (room() / slot < wanted) {
    if (std::unique_ptr<Lane> oldest = take_out_oldest_idle()) {
      give_up(lock, std::move(oldest));
    } else if (ending_ != 0) {
      changed_.wait(lock);  // another thread makes room, and may not need all of it
    } else {
      break;
    }
    check_device(operation);  // one that is lost takes nothing back
  }
  if (room() >= two) return static_cast<unsigned>(std::min<std::size_t>(room() / slot, wanted));
  throw Error{Errc::budget_exceeded,
              "a ring of " + std::to_string(capacity) + "-byte slots needs " + std::to_string(two) +
                  " bytes of pinned memory; of the budget of " + std::to_string(budget_) + " bytes, " +
                  std::to_string(held()) + " are held and " + std::to_string(idle_bytes()) + " of these are idle",
              "collect or discard results, drop ring handles, or raise TAILRACE_PINNED_BUDGET or "
              "RingSetOptions::pinned_budget",
              {.operation = operation, .ring = options_.name}};
}

unsigned RingSet::Core::slots_for_further_lane(std::size_t capacity) const {
  const std::size_t quarter = budget_ / 4;
  const std::size_t in_class = quarter - std::min(quarter, class_bytes(capacity));
  const std::size_t in_budget = budget_ - std::min(budget_, held());
  const std::size_t slots = std::min(in_class, in_budget) / SlotMemory::bytes_for(1, capacity);
  return slots < 2 ? 0 : static_cast<unsigned>(std::min<std::size_t>(slots, slots_));
}

bool RingSet::Core::idle(const Lane& lane) noexcept { return sole(lane.ring) && lane.ring->core().idle(); }

bool RingSet::Core::sole(const Ring& ring) noexcept {
  if (ring.use_count() != 1) return false;
  // The count is read without an order. Giving up a reference orders what others did before they gave up theirs.
  Ring{ring}.reset();
  return true;
}

std::unique_ptr<RingSet::Core::Lane> RingSet::Core::take_out_oldest_idle() {
  Lane* oldest = nullptr;
  for (const auto& [id, lane] : by_id_) {
    if ((oldest == nullptr || lane->last_use < oldest->last_use) && idle(*lane)) oldest = lane;
  }
  if (oldest == nullptr) return nullptr;
  Class& rings = classes_.at(oldest->capacity);
  const auto place = std::ranges::find(rings.lanes, oldest, [](const auto& lane) { return lane.get(); });
  std::unique_ptr<Lane> taken = std::move(*place);
  rings.lanes.erase(place);
  std::erase_if(rings.lane_of, [&](const auto& entry) {
    if (entry.second.lane != oldest) return false;
    for_now_.fetch_sub(std::size_t{entry.second.for_now}, std::memory_order_relaxed);
    return true;
  });
  by_id_.erase(oldest->ring->id());
  given_up_ += oldest->ring->statistics();
  given_up_.pinned_bytes = 0;
  given_up_.slab_bytes = 0;
  return taken;
}

std::size_t RingSet::Core::idle_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [id, lane] : by_id_) {
    if (idle(*lane)) bytes += lane->ring->pinned_bytes();
  }
  return bytes;
}

std::size_t RingSet::Core::class_bytes(std::size_t capacity) const {
  std::size_t bytes = 0;
  const auto rings = classes_.find(capacity);
  if (rings == classes_.end()) return 0;
  for (const auto& lane : rings->second.lanes) bytes += lane->ring->pinned_bytes();
  return bytes;
}

}  // namespace tailrace::inline TAILRACE_ABI
