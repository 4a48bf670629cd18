// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/ring_set_core.hpp"

#include <tailrace/error.hpp>

#include "src/environment.hpp"
#include "src/region.hpp"
#include "src/ring_core.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

namespace tailrace::inline TAILRACE_ABI {

using detail::environment;
using detail::RingCore;

namespace {

unsigned configured_slots(const RingSetOptions& options, const detail::Logger& logger) {
  if (options.slots_per_ring) return std::clamp(*options.slots_per_ring, 2U, 256U);
  const ParsedSlots parsed = parse_ring_slots(environment("TAILRACE_RING_SLOTS"));
  if (!parsed.warning.empty()) logger.warn(parsed.warning);
  return parsed.slots;
}

std::size_t configured_budget(const RingSetOptions& options) {
  if (options.pinned_budget) {
    if (*options.pinned_budget != 0) return *options.pinned_budget;
    throw Error{Errc::invalid_argument,
                "the pinned budget is 0",
                "set RingSetOptions::pinned_budget to some bytes",
                {.operation = "RingSet"}};
  }
  const std::optional<std::string_view> text = environment("TAILRACE_PINNED_BUDGET");
  return text ? parse_pinned_budget(*text) : default_pinned_budget();
}

RingSetOptions normalised(RingSetOptions options) {
  options.lanes = std::clamp(options.lanes, 1U, 64U);
  return options;
}

}  // namespace

RingSet::Core::Core(Device device, RingSetOptions options, std::shared_ptr<detail::DeviceFault> fault)
    : device_{device},
      options_{normalised(std::move(options))},
      logger_{options_.log},
      slots_{configured_slots(options_, logger_)},
      budget_{configured_budget(options_)},
      fault_{std::move(fault)} {}

// Tells of a lost device when a ring was to be made, and there may be none that could. Ends without the lock.
class RingSet::Core::Teller {
 public:
  explicit Teller(const Core& core) noexcept : core_{core} {}
  ~Teller() { core_.fault_->report(core_.logger_, core_.options_.name); }
  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;

 private:
  const Core& core_;
};

// ---- finding a ring

RingSet::Core::Ring RingSet::Core::lane_for(const DeviceView& source, StreamRef producer) {
  check_open("submit");
  const std::size_t capacity = capacity_class(source.bytes());
  const Submitter who{.stream = producer.get(), .thread = std::this_thread::get_id()};
  {
    const std::shared_lock lock{tables_};
    if (Lane* const lane = find(capacity, who)) return use(*lane);
  }
  const Teller teller{*this};
  static_cast<void>(detail::checked(source, "submit"));  // what will be refused is not worth a ring
  poll();  // a discarded copy may be over without anybody having looked, and its ring idle
  Lock lock{tables_};
  for (;; changed_.wait(lock)) {
    check_open("submit");
    if (Lane* const lane = find(capacity, who)) return use(*lane);
    Class& rings = classes_[capacity];
    const bool unused = rings.lane_of.size() < rings.lanes.size();  // one that ring_for() made
    if (unused || rings.lanes.size() >= options_.lanes) return share(rings, who);
    // Somebody is allocating. Rather than do so beside him, use a lane that is there.
    if (making_ != 0 && !rings.lanes.empty()) return share(rings, who, /* for_now */ true);
    if (!rings.being_made) break;
  }
  Lane* const made = make(lock, capacity, "submit");
  Class& rings = classes_[capacity];
  if (made == nullptr) return share(rings, who);  // no room for a further lane
  assign(rings, who, {.lane = made});
  return use(*made);
}

RingSet::Core::Ring RingSet::Core::first_lane(std::size_t bytes) {
  check_open("ring_for");
  const std::size_t capacity = capacity_class(bytes);
  if (Ring ring = existing(bytes)) return ring;
  const Teller teller{*this};
  poll();  // as above
  Lock lock{tables_};
  for (;; changed_.wait(lock)) {
    check_open("ring_for");
    const Class& rings = classes_[capacity];
    if (!rings.lanes.empty()) return use(*rings.lanes.front());
    if (!rings.being_made) break;
  }
  return use(*make(lock, capacity, "ring_for"));
}

RingSet::Core::Ring RingSet::Core::existing(std::size_t bytes) const {
  process_.check("existing_ring_for");
  const std::shared_lock lock{tables_};
  const auto rings = classes_.find(capacity_class(bytes));
  if (rings == classes_.end() || rings->second.lanes.empty()) return nullptr;
  return use(*rings->second.lanes.front());
}

RingSet::Core::Ring RingSet::Core::owner(const Ticket& ticket, const char* operation) const {
  process_.check(operation);
  const std::shared_lock lock{tables_};
  if (const auto lane = by_id_.find(ticket.ring()); lane != by_id_.end()) {
    // As late as the latest submission. A new number would cost threads that collect at once a shared cache line.
    lane->second->last_use.store(uses_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    return lane->second->ring;
  }
  throw Error{Errc::stale_ticket,
              "the ticket is of no ring of this set, or of one that was given up",
              "use each ticket once, with the set that gave it",
              {.operation = operation, .ring = options_.name, .slot = ticket.slot(), .sequence = ticket.sequence()}};
}

std::vector<RingSet::Core::Ring> RingSet::Core::all() const {
  process_.check("rings");
  const std::shared_lock lock{tables_};
  std::vector<Ring> rings;
  rings.reserve(by_id_.size());
  for (const auto& [id, lane] : by_id_) rings.push_back(lane->ring);
  return rings;
}

std::size_t RingSet::Core::poll() {
  process_.check("poll");
  std::vector<Ring> busy;
  {
    const std::shared_lock lock{tables_};
    busy.reserve(by_id_.size());
    // A handle of a quiet ring would do nothing but keep it from being given up.
    for (const auto& [id, lane] : by_id_) {
      if (!lane->ring->core().quiet()) busy.push_back(lane->ring);
    }
  }
  std::size_t moved = 0;
  for (const Ring& ring : busy) moved += ring->poll();
  return moved;
}

RingSet::Core::Ring RingSet::Core::use(Lane& lane) const noexcept {
  lane.last_use.store(uses_.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return lane.ring;
}

RingSet::Core::Lane* RingSet::Core::find(std::size_t capacity, const Submitter& who) const {
  const auto rings = classes_.find(capacity);
  if (rings == classes_.end()) return nullptr;
  const auto found = rings->second.lane_of.find(who);
  if (found == rings->second.lane_of.end()) return nullptr;
  const Assignment& its = found->second;
  const bool moves_on = its.for_now && (!its.last || its.lane->ring->core().over(*its.last));
  return moves_on ? nullptr : its.lane;
}

RingSet::Core::Ring RingSet::Core::share(Class& rings, const Submitter& who, bool for_now) {
  // Submitters that end are not known to have ended. Those beyond the limit are not remembered, and share the lane that
  // is there for as long as any is, so that their submissions are in order too.
  constexpr std::size_t limit = 4096;
  const bool remember = rings.lane_of.size() < limit;
  Lane& lane = *rings.lanes[remember ? rings.turn++ % rings.lanes.size() : 0];
  if (remember) assign(rings, who, {.lane = &lane, .for_now = for_now});
  return use(lane);
}

void RingSet::Core::assign(Class& rings, const Submitter& who, const Assignment& assignment) {
  Assignment& its = rings.lane_of[who];
  for_now_.fetch_add(std::size_t{assignment.for_now} - std::size_t{its.for_now}, std::memory_order_relaxed);
  its = assignment;
}

void RingSet::Core::note_last(const DeviceView& source, StreamRef producer, const std::optional<Ticket>& ticket) {
  if (!ticket) return;
  const Lock lock{tables_};
  const auto rings = classes_.find(capacity_class(source.bytes()));
  if (rings == classes_.end()) return;
  const auto its = rings->second.lane_of.find({.stream = producer.get(), .thread = std::this_thread::get_id()});
  if (its == rings->second.lane_of.end() || !its->second.for_now) return;
  if (its->second.lane->ring->id() == ticket->ring()) its->second.last = ticket;
}

// ---- ending

void RingSet::Core::check_open(const char* operation) const {
  process_.check(operation);
  if (closed_.load(std::memory_order_acquire)) refuse_closed(operation);
}

void RingSet::Core::check_device(const char* operation) const {
  if (fault_->lost()) throw fault_->error({.operation = operation, .ring = options_.name});
}

void RingSet::Core::refuse_closed(const char* operation) {
  throw Error{Errc::closed, "the ring set is closed", "submit before close()", {.operation = operation}};
}

CloseReport RingSet::Core::close(std::chrono::nanoseconds bound) {
  process_.check("close");
  const detail::Clock::time_point deadline = detail::deadline_after(bound);
  closed_.store(true, std::memory_order_release);  // before all(): a ring that is being made is seen there, or sees it
  const std::vector<Ring> rings = all();
  changed_.notify_all();  // whoever has not seen the flag waits by now
  for (const Ring& ring : rings) static_cast<void>(ring->close(std::chrono::nanoseconds{0}));  // wakes every caller
  CloseReport sum;
  for (const Ring& ring : rings) {
    const CloseReport one = ring->close(std::max(deadline - detail::Clock::now(), std::chrono::nanoseconds{0}));
    sum.drained = sum.drained && one.drained;
    sum.in_flight += one.in_flight;
    sum.uncollected += one.uncollected;
    sum.failed += one.failed;
  }
  return sum;
}

void RingSet::Core::end(std::chrono::steady_clock::time_point deadline) noexcept {
  if (!process_.usable()) return;  // every ring keeps itself
  const auto left = [deadline] { return std::max(deadline - detail::Clock::now(), std::chrono::nanoseconds{0}); };
  try {
    static_cast<void>(close(left()));
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the rings are closed one by one then
  }
  by_id_.clear();
  for (auto& [capacity, rings] : classes_) {
    for (const std::unique_ptr<Lane>& lane : rings.lanes) {
      // A thread that is woken from a wait has a handle too, and may be the last to leave.
      if (sole(lane->ring)) static_cast<void>(RingCore::end(std::move(lane->ring->core_), left()));
    }
  }
  classes_.clear();
}

void RingSet::Core::end(std::unique_ptr<Core> core) noexcept {
  if (!core->process_.usable()) return detail::Kept<Core>::add(std::move(core));
  core->end(detail::deadline_after(core->options_.close_bound));
  if (!core->process_.usable()) detail::Kept<Core>::add(std::move(core));
}

Statistics RingSet::Core::statistics() const {
  process_.check("statistics");
  const std::shared_lock lock{tables_};
  Statistics sum = given_up_;
  for (const auto& [id, lane] : by_id_) sum += lane->ring->statistics();
  sum.pinned_bytes = held();
  return sum;
}

}  // namespace tailrace::inline TAILRACE_ABI
