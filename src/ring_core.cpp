// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/ring_core.hpp"

#include "src/poison.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

Clock::time_point deadline_after(std::chrono::nanoseconds timeout) noexcept {
  const Clock::time_point now = Clock::now();
  return timeout > Clock::time_point::max() - now ? Clock::time_point::max() : now + timeout;
}

// ---- submit: producer edge, claim, copy and completion mark, in one critical section, so that the order on the copy
// ---- stream is the order of sequence numbers

Ticket RingCore::submit(const DeviceView& view, StreamRef producer) {
  const Call call{*this, "submit"};
  const Source source = check_source(view, "submit");
  const std::lock_guard lock{submit_mutex_};
  check_open("submit");
  if (!line_.empty()) refuse_promised("submit");
  if (const Phase phase = look_at_next_slot(); phase != Phase::free) refuse_slot(phase, "submit");
  return enqueue(source, producer, Via::copy_stream);
}

std::optional<Ticket> RingCore::try_submit(const DeviceView& view, StreamRef producer) {
  const Call call{*this, "try_submit"};
  const Source source = check_source(view, "try_submit");
  const std::lock_guard lock{submit_mutex_};
  check_open("try_submit");
  const Phase phase = line_.empty() ? look_at_next_slot() : Phase::pending;
  switch (phase) {
    case Phase::free: return enqueue(source, producer, Via::copy_stream);
    case Phase::pending:
    case Phase::ready:
    case Phase::reading: counters_.count(counters_.refusals); return std::nullopt;
    default: refuse_slot(phase, "try_submit");
  }
}

Ticket RingCore::submit_for(const DeviceView& view, StreamRef producer, std::chrono::nanoseconds timeout) {
  Call call{*this, "submit_for"};
  call.stay();
  const Source source = check_source(view, "submit_for");
  const Clock::time_point deadline = deadline_after(timeout);
  std::unique_lock lock{submit_mutex_};
  const auto place = line_.insert(line_.end(), Waiting{});
  // Whatever ends the wait, the next in line must look again.
  const auto leave_line = [this, place](void*) {
    line_.erase(place);
    wakeup_.notify();
  };
  const std::unique_ptr<void, decltype(leave_line)> in_line{this, leave_line};
  for (unsigned round = 0;; ++round) {
    const std::uint64_t epoch = wakeup_.epoch();
    process_.check("submit_for");
    check_open("submit_for");
    Phase phase = Phase::free;  // promised to those who came first
    if (place == line_.begin()) {
      phase = look_at_next_slot();
      if (phase == Phase::free) return enqueue(source, producer, Via::copy_stream);
    }
    if (Clock::now() >= deadline) refuse_timeout(phase, timeout);
    lock.unlock();
    pause(round, epoch, deadline);
    lock.lock();
  }
}

Ticket RingCore::submit_checked(const Source& source) {
  const Call call{*this, "read"};
  const std::lock_guard lock{submit_mutex_};
  check_open("read");
  if (const Phase phase = look_at_next_slot(); phase != Phase::free) refuse_slot(phase, "read");
  if (!std::exchange(used_, true)) ProcessGuard::watch_exit();
  return start_copy(source, stream_.get(), Via::copy_stream);
}

Ticket RingCore::record(const DeviceView& view, StreamRef stream) {
  const Call call{*this, "record"};
  const Source source = check_source(view, "record");
  const std::lock_guard lock{submit_mutex_};
  check_open("record");
  if (!line_.empty()) refuse_promised("record");
  if (const Phase phase = look_at_next_slot(); phase != Phase::free) refuse_slot(phase, "record");
  return enqueue(source, stream, Via::callers_stream);
}

Source RingCore::check_source(const DeviceView& view, const char* operation) const {
  Source source = checked(view, operation);
  if (source.bytes <= options_.capacity) return source;
  throw Error{Errc::exceeds_slot,
              std::to_string(source.bytes) + " bytes do not fit into a slot of " + std::to_string(options_.capacity),
              "make the ring with a larger capacity, or read large arrays with Runtime::read", at(operation)};
}

void RingCore::check_open(const char* operation) const {
  if (closed_.load(std::memory_order_acquire)) {
    throw Error{Errc::closed, "the ring is closed", "submit before close() and before the ring is destroyed",
                at(operation)};
  }
  if (fault_->lost()) throw fault_->error(at(operation));
}

Phase RingCore::look_at_next_slot() noexcept {
  const Slot& slot = slots_[next_slot_];
  const Phase phase = slot.view().phase;
  if (phase == Phase::free) return phase;
  if (phase == Phase::pending && stalled_at_ != position_ + 1) {
    stalled_at_ = position_ + 1;  // one stall a submission, however often it looks
    counters_.count(counters_.stalls);
  }
  poll_and_wake(Poll::always, position_ - slots_.size());  // what is in that slot
  return slot.view().phase;
}

Ticket RingCore::enqueue(const Source& source, StreamRef stream, Via via) {
  if (!std::exchange(used_, true)) ProcessGuard::watch_exit();
  if (source.bytes == 0) return publish(0, Phase::ready);
  const native_stream on = via == Via::copy_stream ? stream_.get() : stream.get();
  const EnqueueScope scope{submitter_, stream.get(), on};
  check_submitting(scope.status(), "current_device");
  check_with_driver(source, stream);
  order(stream.get(), on);
  return start_copy(source, on, via);
}

Ticket RingCore::start_copy(const Source& source, native_stream on, Via via) {
  std::byte* const memory = memory_.slot(next_slot_);
  unpoison(memory, options_.capacity);
  check_submitting(submitter_.copy_to_host(memory, source.region, on), "copy");
  // The copy is accepted: from here on nothing fails, and there is a ticket.
  if (via == Via::callers_stream) return publish(source.bytes, Phase::unarmed, on);
  const std::uint64_t position = position_;
  const Ticket ticket = publish(source.bytes, Phase::pending);
  if (const Status status = completion_.enqueued(position); status.lost()) fault_->set(status, "event_record");
  return ticket;
}

/// Orders the stream of the copy after the producer, and refuses a producer of another device.
void RingCore::order(native_stream producer, native_stream copy) {
  if (producer == stream_.get()) return;
  if (producer == copy && submitter_.same_device(producer, stream_.get())) return;
  check_submitting(submitter_.event_record(completion_.edge(), producer), "event_record");
  if (producer != copy) check_submitting(submitter_.stream_wait(copy, completion_.edge()), "stream_wait");
}

void RingCore::check_with_driver(const Source& source, StreamRef stream) const {
  const auto where = [this] { return at_next_submission(); };
  require_not_capturing(submitter_, *fault_, stream, where);
  if (options_.copy_stream && *options_.copy_stream != stream) {
    require_not_capturing(submitter_, *fault_, *options_.copy_stream, where);
  }
  require_device_memory(submitter_, *fault_, source, where);
}

Ticket RingCore::publish(std::size_t bytes, Phase phase, native_stream recorded_on) noexcept {
  const std::uint64_t position = position_++;
  const std::uint64_t sequence = first_sequence_ + position;
  const unsigned index = std::exchange(next_slot_, next_slot_ + 1 == slots_.size() ? 0 : next_slot_ + 1);
  counters_.count(counters_.submissions);
  counters_.count(counters_.bytes, bytes);
  if (phase != Phase::ready) counters_.enter_flight();
  Slot::Occupant occupant{.sequence = sequence, .recorded_on = recorded_on};
  if (recorded_on != nullptr) occupant.recorded_by = std::this_thread::get_id();
  slots_[index].publish(occupant, phase);
  return {id_, index, sequence, bytes};
}

void RingCore::arm(std::span<const Ticket> tickets, StreamRef stream) {
  const Call call{*this, "arm"};
  std::vector<std::uint64_t> positions;
  positions.reserve(tickets.size());
  for (const Ticket& ticket : tickets) {
    const Look found = look(ticket, "arm");
    // Whether a slot that was given up came free already is nothing to its ticket.
    if (shown_as(found.phase) == SlotState::free) refuse_ticket(found.phase, ticket, "arm");
    if (found.phase == Phase::ready && ticket.size() == 0) continue;  // nothing was enqueued, so nothing is to be armed
    if (is_error(found.phase) && fault_->lost()) throw fault_->error(at("arm", ticket));
    if (found.phase != Phase::unarmed) refuse_arming(ticket);
    positions.push_back(ticket.sequence() - first_sequence_);
  }
  std::ranges::sort(positions);
  if (std::ranges::adjacent_find(positions) != positions.end()) refuse_arming(tickets.front());
  if (positions.empty()) return;
  const EnqueueScope scope{driver_, stream.get(), stream.get()};
  check(scope.status(), "current_device", at("arm"));
  require_not_capturing(driver_, *fault_, stream, at("arm"));
  const Completion::Armed armed = completion_.arm(std::move(positions), stream.get());
  if (armed.refused == Completion::Refused::not_unarmed) refuse_arming(tickets.front());  // another thread came first
  if (armed.refused == Completion::Refused::other_stream) {
    throw Error{Errc::invalid_argument, "a ticket was recorded on another stream",
                "arm each ticket on the stream that it was recorded on; the per-thread default stream is another one "
                "on every thread",
                at("arm", tickets.front())};
  }
  check(armed.status, "event_record", at("arm"));
}

// ---- poll and wait

std::size_t RingCore::poll() {
  const Call call{*this, "poll"};
  return poll_and_wake(Poll::always);
}

std::size_t RingCore::poll_and_wake(Poll how, std::uint64_t wanted) noexcept {
  const std::size_t moved = how == Poll::always ? completion_.poll(wanted) : completion_.try_poll(wanted);
  if (moved != 0) wakeup_.notify();
  return moved;
}

SlotState RingCore::state(const Ticket& ticket) {
  const Call call{*this, "state"};
  Look found = look(ticket, "state");
  if (found.phase == Phase::pending) {
    poll_and_wake(Poll::unless_busy, ticket.sequence() - first_sequence_);
    found = look(ticket, "state");
  }
  return shown_as(found.phase);
}

SlotState RingCore::wait_until(const Ticket& ticket, Clock::time_point deadline) {
  Call call{*this, "wait"};
  const Phase phase = look_settled(call, ticket, "wait", deadline).phase;
  if (phase != Phase::pending && phase != Phase::ready && !is_error(phase)) refuse_ticket(phase, ticket, "wait");
  return shown_as(phase);
}

RingCore::Look RingCore::look(const Ticket& ticket, const char* operation) {
  if (ticket.ring() != id_ || ticket.slot() >= slots_.size()) refuse_ticket(Phase::free, ticket, operation);
  Slot& slot = slots_[ticket.slot()];
  Slot::View now = slot.view();
  if (now.phase == Phase::unarmed && fault_->lost()) {
    poll_and_wake(Poll::always);  // nobody waits for an unarmed ticket, so that nobody may have looked since
    now = slot.view();
  }
  return {.slot = &slot, .phase = now.of(ticket.sequence()) ? now.phase : Phase::free};
}

RingCore::Look RingCore::look_settled(Call& call, const Ticket& ticket, const char* operation,
                                      Clock::time_point deadline) {
  Look found = look(ticket, operation);
  if (found.phase != Phase::pending) return found;
  poll_and_wake(Poll::unless_busy, ticket.sequence() - first_sequence_);
  found = look(ticket, operation);
  if (found.phase != Phase::pending || deadline == Clock::time_point::min()) return found;
  call.stay();
  return wait_settled(ticket, operation, deadline);
}

RingCore::Look RingCore::wait_settled(const Ticket& ticket, const char* operation, Clock::time_point deadline) {
  for (unsigned round = 0;; ++round) {
    const std::uint64_t epoch = wakeup_.epoch();
    process_.check(operation);
    Look found = look(ticket, operation);
    if (found.phase != Phase::pending) return found;
    poll_and_wake(Poll::unless_busy, ticket.sequence() - first_sequence_);
    found = look(ticket, operation);
    if (found.phase != Phase::pending) return found;
    if (deadline != Clock::time_point::max() && Clock::now() >= deadline) return found;
    if (closed_.load(std::memory_order_acquire)) {
      throw Error{Errc::closed, "the ring was closed while the readback was in flight",
                  "collect results before close() and before the ring is destroyed", at(operation, ticket)};
    }
    pause(round, epoch, deadline);
  }
}

void RingCore::pause(unsigned round, std::uint64_t epoch, Clock::time_point deadline) {
  constexpr unsigned spins = 128;  // some tens of microseconds, the time of a small copy
  if (round < spins) return;
  if (options_.wait_mode == WaitMode::spin) {
    std::this_thread::yield();
    return;
  }
  // Completion can only be found by looking, so that the sleep is bounded; what another thread finds ends it at once.
  constexpr std::chrono::microseconds shortest{20};
  constexpr std::chrono::microseconds longest{500};
  const std::chrono::nanoseconds nap = std::min<std::chrono::nanoseconds>(shortest * (round - spins + 1), longest);
  wakeup_.wait_for(epoch, std::min<std::chrono::nanoseconds>(nap, deadline - Clock::now()));
}

// ---- collect: exclusive hold of a READY slot

SlotClaim RingCore::wait_and_claim(const Ticket& ticket, std::size_t element_size) {
  Call call{*this, "collect"};
  return claim(look_settled(call, ticket, "collect", Clock::time_point::max()), ticket, element_size);
}

SlotClaim RingCore::try_claim(const Ticket& ticket, std::size_t element_size) {
  Call call{*this, "try_collect"};
  const Look found = look_settled(call, ticket, "try_collect", Clock::time_point::min());
  if (found.phase == Phase::pending) return {};
  return claim(found, ticket, element_size);
}

SlotClaim RingCore::claim(const Look& found, const Ticket& ticket, std::size_t element_size) {
  if (is_error(found.phase)) throw_failed_copy(*found.slot, ticket);
  if (found.phase != Phase::ready) refuse_ticket(found.phase, ticket, "collect");
  if (ticket.size() % element_size != 0) {
    throw Error{Errc::size_mismatch,
                std::to_string(ticket.size()) + " bytes are no whole number of elements of " +
                    std::to_string(element_size) + " bytes",
                "ask for the type that was submitted; the readback is still READY", at("collect", ticket)};
  }
  inside_.fetch_add(1, std::memory_order_acq_rel);  // until release() or keep()
  if (!found.slot->claim(ticket.sequence())) {
    inside_.fetch_sub(1, std::memory_order_acq_rel);
    refuse_ticket(Phase::reading, ticket, "collect");
  }
  return {*this, ticket.slot(), {memory_.slot(ticket.slot()), ticket.size()}};
}

void RingCore::release(unsigned slot) noexcept {
  poison(memory_.slot(slot), options_.capacity);
  counters_.count(counters_.collected);
  slots_[slot].release();
  freed();
  inside_.fetch_sub(1, std::memory_order_acq_rel);
}

void RingCore::keep(unsigned slot) noexcept {
  slots_[slot].keep();
  freed();
  inside_.fetch_sub(1, std::memory_order_acq_rel);
}

void RingCore::throw_failed_copy(Slot& slot, const Ticket& ticket) {
  Status status;
  const Slot::Change change = slot.settle(ticket.sequence(), status);
  if (!change) refuse_ticket(Phase::free, ticket, "collect");
  counters_.count(counters_.errors_collected);
  if (change.before == Phase::error_open) counters_.count(counters_.quarantined);
  freed();
  ErrorDetails details = at("collect", ticket);
  details.native_code = status.code;
  details.native_name = backend::error_name(status.code);
  throw Error{Errc::copy_failed, std::string{"the copy was not proven complete: "} + backend::error_text(status.code),
              status.lost() ? "find the kernel or copy that failed; the device cannot be used by this process any more"
                            : "submit the region again",
              std::move(details)};
}

// ---- discard, and guarding the source

void RingCore::discard(const Ticket& ticket) {
  const Call call{*this, "discard"};
  const Look found = look(ticket, "discard");
  if (found.phase == Phase::free || found.phase == Phase::unarmed) refuse_ticket(found.phase, ticket, "discard");
  const Slot::Change change = found.slot->give_up(ticket.sequence());
  if (!change) refuse_ticket(Phase::free, ticket, "discard");
  counters_.count(counters_.discarded);
  if (change.before == Phase::error_open) counters_.count(counters_.quarantined);
  freed();
}

void RingCore::guard_source(const Ticket& ticket, StreamRef stream) {
  const Call call{*this, "guard_source"};
  switch (const Phase phase = look(ticket, "guard_source").phase) {
    case Phase::pending: break;
    case Phase::ready:
    case Phase::reading: return;  // the source has been read
    case Phase::error_open:
    case Phase::error_over:
      throw Error{Errc::copy_failed, "the copy failed, and whether the source is still being read is not known",
                  "collect the ticket for the cause, and synchronise the device before the source is reused",
                  at("guard_source", ticket)};
    default: refuse_ticket(phase, ticket, "guard_source");
  }
  const EnqueueScope scope{driver_, stream.get(), stream_.get()};
  check(scope.status(), "current_device", at("guard_source", ticket));
  require_not_capturing(driver_, *fault_, stream, at("guard_source", ticket));
  check(completion_.order_after(ticket.sequence() - first_sequence_, stream.get()), "stream_wait",
        at("guard_source", ticket));
}

Statistics RingCore::statistics() const noexcept {
  Statistics s = counters_.snapshot();
  s.pinned_bytes = memory_.bytes();
  s.slab_bytes = memory_.slab_bytes();
  return s;
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
