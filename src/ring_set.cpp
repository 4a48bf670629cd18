// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/error.hpp>
#include <tailrace/ring_set.hpp>

#include "src/ring_core.hpp"
#include "src/ring_set_core.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tailrace::inline TAILRACE_ABI {

RingSet::RingSet(Device device, RingSetOptions options)
    : core_{std::make_unique<Core>(device, std::move(options), std::make_shared<detail::DeviceFault>())} {}

RingSet::RingSet(std::unique_ptr<Core> core) noexcept : core_{std::move(core)} {}

RingSet::~RingSet() {
  if (core_) Core::end(std::move(core_));
}

RingSet::RingSet(RingSet&&) noexcept = default;

RingSet& RingSet::operator=(RingSet&& other) noexcept {
  if (this == &other) return *this;
  if (core_) Core::end(std::move(core_));
  core_ = std::move(other.core_);
  return *this;
}

RingSet::Core& RingSet::core() const {
  if (core_) return *core_;
  throw Error{
      Errc::closed, "the ring set was moved from", "use the object that it was moved to", {.operation = "RingSet"}};
}

Device RingSet::device() const { return core().device(); }
unsigned RingSet::slots_per_ring() const { return core().slots_per_ring(); }
std::size_t RingSet::pinned_budget() const { return core().budget(); }
std::size_t RingSet::pinned_bytes() const { return core().held(); }
std::size_t RingSet::rings() const { return core().all().size(); }

std::shared_ptr<ReadbackRing> RingSet::ring_for(std::size_t bytes) { return core().first_lane(bytes); }
std::shared_ptr<ReadbackRing> RingSet::existing_ring_for(std::size_t bytes) const { return core().existing(bytes); }
std::shared_ptr<ReadbackRing> RingSet::owner(const Ticket& ticket, const char* operation) const {
  return core().owner(ticket, operation);
}

Ticket RingSet::submit(const DeviceView& source, StreamRef producer) {
  return core().submit(source, producer, [&](ReadbackRing& ring) { return ring.submit(source, producer); });
}

std::optional<Ticket> RingSet::try_submit(const DeviceView& source, StreamRef producer) {
  return core().submit(source, producer, [&](ReadbackRing& ring) { return ring.try_submit(source, producer); });
}

Ticket RingSet::submit_for(const DeviceView& source, StreamRef producer, std::chrono::nanoseconds timeout) {
  return core().submit(source, producer,
                       [&](ReadbackRing& ring) { return ring.submit_for(source, producer, timeout); });
}

Ticket RingSet::record(const DeviceView& source, StreamRef stream) {
  return core().submit(source, stream, [&](ReadbackRing& ring) { return ring.record(source, stream); });
}

void RingSet::arm(std::span<const Ticket> tickets, StreamRef stream) {
  std::vector<Ticket> left{tickets.begin(), tickets.end()};
  while (!left.empty()) {
    const std::uint64_t ring = left.front().ring();
    const auto others = std::ranges::partition(left, [ring](const Ticket& ticket) { return ticket.ring() == ring; });
    const std::span<const Ticket> together{left.begin(), others.begin()};
    owner(together.front(), "arm")->arm(together, stream);
    left.erase(left.begin(), others.begin());
  }
}

std::size_t RingSet::poll() { return core().poll(); }

SlotState RingSet::state(const Ticket& ticket) { return owner(ticket, "state")->state(ticket); }
SlotState RingSet::wait(const Ticket& ticket) { return owner(ticket, "wait")->wait(ticket); }
SlotState RingSet::wait_for(const Ticket& ticket, std::chrono::nanoseconds timeout) {
  return owner(ticket, "wait_for")->wait_for(ticket, timeout);
}

std::size_t RingSet::wait_all(std::span<const Ticket> tickets) {
  // All rings first: a thread that is woken because the set is destroyed must not come back to it.
  std::vector<std::shared_ptr<ReadbackRing>> rings;
  rings.reserve(tickets.size());
  for (const Ticket& ticket : tickets) rings.push_back(owner(ticket, "wait_all"));
  std::size_t failed = 0;
  for (std::size_t i = 0; i < tickets.size(); ++i) failed += rings[i]->wait(tickets[i]) == SlotState::error ? 1 : 0;
  return failed;
}

void RingSet::discard(const Ticket& ticket) { owner(ticket, "discard")->discard(ticket); }
void RingSet::guard_source(const Ticket& ticket, StreamRef stream) {
  owner(ticket, "guard_source")->guard_source(ticket, stream);
}

std::size_t RingSet::collect(const Ticket& ticket, std::span<std::byte> destination) {
  return owner(ticket, "collect")->collect(ticket, destination);
}

std::optional<std::size_t> RingSet::try_collect(const Ticket& ticket, std::span<std::byte> destination) {
  return owner(ticket, "try_collect")->try_collect(ticket, destination);
}

CloseReport RingSet::close(std::chrono::nanoseconds bound) { return core().close(bound); }
Statistics RingSet::statistics() const { return core().statistics(); }

}  // namespace tailrace::inline TAILRACE_ABI
