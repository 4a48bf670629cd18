// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/error.hpp>
#include <tailrace/ring.hpp>

#include "src/ring_core.hpp"

#include <cstring>
#include <utility>

namespace tailrace::inline TAILRACE_ABI {

ReadbackRing::ReadbackRing(Device device, RingOptions options)
    : core_{std::make_unique<detail::RingCore>(device, std::move(options), std::make_shared<detail::DeviceFault>())} {}

ReadbackRing::ReadbackRing(std::unique_ptr<detail::RingCore> core) noexcept : core_{std::move(core)} {}

ReadbackRing::~ReadbackRing() {
  if (core_) static_cast<void>(detail::RingCore::end(std::move(core_)));
}

ReadbackRing::ReadbackRing(ReadbackRing&&) noexcept = default;

ReadbackRing& ReadbackRing::operator=(ReadbackRing&& other) noexcept {
  if (this == &other) return *this;
  if (core_) static_cast<void>(detail::RingCore::end(std::move(core_)));
  core_ = std::move(other.core_);
  return *this;
}

detail::RingCore& ReadbackRing::core() const {
  if (core_) return *core_;
  throw Error{
      Errc::closed, "the ring was moved from", "use the object that it was moved to", {.operation = "ReadbackRing"}};
}

std::uint64_t ReadbackRing::id() const { return core().id(); }
const std::string& ReadbackRing::name() const { return core().options().name; }
Device ReadbackRing::device() const { return core().device(); }
unsigned ReadbackRing::slots() const { return core().slots(); }
std::size_t ReadbackRing::capacity() const { return core().options().capacity; }
std::size_t ReadbackRing::pinned_bytes() const { return core().pinned_bytes(); }

Ticket ReadbackRing::submit(const DeviceView& source, StreamRef producer) { return core().submit(source, producer); }

std::optional<Ticket> ReadbackRing::try_submit(const DeviceView& source, StreamRef producer) {
  return core().try_submit(source, producer);
}

Ticket ReadbackRing::submit_for(const DeviceView& source, StreamRef producer, std::chrono::nanoseconds timeout) {
  return core().submit_for(source, producer, timeout);
}

Ticket ReadbackRing::record(const DeviceView& source, StreamRef stream) { return core().record(source, stream); }

void ReadbackRing::arm(std::span<const Ticket> tickets, StreamRef stream) { core().arm(tickets, stream); }

std::size_t ReadbackRing::poll() { return core().poll(); }

SlotState ReadbackRing::state(const Ticket& ticket) { return core().state(ticket); }

SlotState ReadbackRing::wait(const Ticket& ticket) {
  return core().wait_until(ticket, detail::Clock::time_point::max());
}

SlotState ReadbackRing::wait_for(const Ticket& ticket, std::chrono::nanoseconds timeout) {
  return core().wait_until(ticket, detail::deadline_after(timeout));
}

std::size_t ReadbackRing::wait_all(std::span<const Ticket> tickets) {
  std::size_t failed = 0;
  for (const Ticket& ticket : tickets) failed += wait(ticket) == SlotState::error ? 1 : 0;
  return failed;
}

detail::SlotClaim ReadbackRing::wait_and_claim(const Ticket& ticket, std::size_t element_size) {
  return core().wait_and_claim(ticket, element_size);
}

detail::SlotClaim ReadbackRing::try_claim(const Ticket& ticket, std::size_t element_size) {
  return core().try_claim(ticket, element_size);
}

void ReadbackRing::check_room(const Ticket& ticket, std::size_t room) {
  if (room >= ticket.size() || state(ticket) == SlotState::free) return;  // a stale ticket is refused as such
  throw Error{Errc::buffer_too_small,
              "the destination has " + std::to_string(room) + " bytes, the readback " + std::to_string(ticket.size()),
              "pass at least Ticket::size() bytes; the readback is still there",
              {.operation = "collect", .ring = name(), .slot = ticket.slot(), .sequence = ticket.sequence()}};
}

std::size_t ReadbackRing::collect(const Ticket& ticket, std::span<std::byte> destination) {
  check_room(ticket, destination.size());
  return visit(ticket, [destination](std::span<const std::byte> bytes) {
    if (!bytes.empty()) std::memcpy(destination.data(), bytes.data(), bytes.size());
    return bytes.size();
  });
}

std::optional<std::size_t> ReadbackRing::try_collect(const Ticket& ticket, std::span<std::byte> destination) {
  check_room(ticket, destination.size());
  const bool done = try_visit(ticket, [destination](std::span<const std::byte> bytes) {
    if (!bytes.empty()) std::memcpy(destination.data(), bytes.data(), bytes.size());
  });
  return done ? std::optional{ticket.size()} : std::nullopt;
}

void ReadbackRing::discard(const Ticket& ticket) { core().discard(ticket); }

void ReadbackRing::guard_source(const Ticket& ticket, StreamRef stream) { core().guard_source(ticket, stream); }

CloseReport ReadbackRing::close(std::chrono::nanoseconds bound) { return core().close(bound); }

Statistics ReadbackRing::statistics() const { return core().statistics(); }

namespace detail {

SlotClaim::SlotClaim(RingCore& core, unsigned slot, std::span<const std::byte> bytes) noexcept
    : core_{&core}, slot_{slot}, bytes_{bytes} {}

SlotClaim::SlotClaim(SlotClaim&& other) noexcept
    : core_{std::exchange(other.core_, nullptr)}, slot_{other.slot_}, bytes_{other.bytes_} {}

SlotClaim::~SlotClaim() {
  if (core_ != nullptr) core_->release(slot_);
}

void SlotClaim::keep() noexcept { std::exchange(core_, nullptr)->keep(slot_); }

}  // namespace detail

}  // namespace tailrace::inline TAILRACE_ABI
