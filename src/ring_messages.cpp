// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// What a ring says: refusals, timeouts, reports. The data path is in ring_core.cpp.

#include "src/ring_core.hpp"

#include <string>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

struct Refusal {
  Errc code;
  const char* what;
  const char* fix;
};

Refusal refusal(Phase phase) {
  switch (phase) {
    case Phase::unarmed:
      return {Errc::slot_unarmed, "the next slot is PENDING: recorded and not armed", "arm() and collect its ticket"};
    case Phase::pending:
      return {Errc::slot_pending, "the next slot is PENDING: still in flight",
              "use try_submit or submit_for, collect results more often, or make the ring with more slots"};
    case Phase::ready:
      return {Errc::slot_ready, "the next slot is READY: uncollected completed readback",
              "visit, collect or discard its ticket; a completed readback is never overwritten"};
    case Phase::reading:
      return {Errc::slot_reading, "the next slot is READY: being read", "let its visitor or collector finish"};
    case Phase::error_open:
    case Phase::error_over:
      return {Errc::slot_error, "the next slot is ERROR: failed readback not collected",
              "collect its ticket, which throws the cause, or discard it"};
    case Phase::discarded:
      return {Errc::slot_discarded, "the next slot was discarded, still in flight",
              "let its copy finish: poll, or use submit_for"};
    case Phase::quarantined:
      return {Errc::slot_quarantined, "the next slot is quarantined: its copy failed and is not proven over",
              "poll until a later event proves it over; if none does, use another ring"};
    case Phase::free: break;
  }
  return {Errc::slot_promised, "the next slot is promised to a caller of submit_for() who came first",
          "use try_submit or submit_for"};
}

std::string milliseconds(std::chrono::nanoseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
}

}  // namespace

ErrorDetails RingCore::at(const char* operation) const { return {.operation = operation, .ring = options_.name}; }

ErrorDetails RingCore::at(const char* operation, const Ticket& ticket) const {
  return {.operation = operation, .ring = options_.name, .slot = ticket.slot(), .sequence = ticket.sequence()};
}

ErrorDetails RingCore::at_next_slot(const char* operation) const {
  return {.operation = operation,
          .ring = options_.name,
          .slot = next_slot_,
          .sequence = slots_[next_slot_].occupant().sequence};
}

ErrorDetails RingCore::at_next_submission() const {
  return {.operation = "submit", .ring = options_.name, .slot = next_slot_, .sequence = first_sequence_ + position_};
}

void RingCore::refuse_slot(Phase phase, const char* operation) {
  counters_.count(counters_.refusals);
  if (fault_->lost()) throw fault_->error(at(operation));
  const Refusal why = refusal(phase);
  throw Error{why.code, why.what, why.fix, at_next_slot(operation)};
}

void RingCore::refuse_promised(const char* operation) { refuse_slot(Phase::free, operation); }

void RingCore::refuse_timeout(Phase phase, std::chrono::nanoseconds timeout) {
  counters_.count(counters_.refusals);
  const Refusal why = refusal(phase);
  throw Error{Errc::timed_out, std::string{why.what} + " after " + milliseconds(timeout), why.fix,
              at_next_slot("submit_for")};
}

void RingCore::refuse_arming(const Ticket& ticket) const {
  throw Error{Errc::already_armed, "the ticket is armed already, or was not made by record()",
              "arm each ticket of record() once", at("arm", ticket)};
}

void RingCore::refuse_ticket(Phase phase, const Ticket& ticket, const char* operation) const {
  if (phase == Phase::unarmed) {
    throw Error{Errc::not_armed, "the ticket was recorded and is not armed", "call arm() first", at(operation, ticket)};
  }
  throw Error{Errc::stale_ticket,
              ticket.ring() == id_ ? "the ticket was used already, or somebody else is reading it"
                                   : "the ticket is not of this ring",
              "use each ticket once, with the ring that gave it", at(operation, ticket)};
}

void RingCore::tell_pending_messages() noexcept {
  if (fault_->lost()) fault_->report(logger_, options_.name);
  if (counters_.wrapped.load(std::memory_order_relaxed) && !wrap_told_.exchange(true)) {
    logger_.warn("a statistics counter passed its maximum and restarted at zero");
  }
}

void RingCore::tell_end(const CloseReport& report, bool kept) const noexcept {
  if (fault_->lost()) return;  // told already, and nothing that follows from it is news
  try {
    std::string text = "ring '" + options_.name + "' destroyed";
    if (report.uncollected != 0) text += ", " + std::to_string(report.uncollected) + " results were never collected";
    if (report.failed != 0) text += ", " + std::to_string(report.failed) + " errors were never collected";
    if (kept) {
      text += "; " + std::to_string(memory_.bytes()) + " bytes of pinned memory are kept, because " +
              std::to_string(report.in_flight) + " copies are not proven over";
    }
    text += ". Fix: arm what was recorded, and collect or discard every ticket, before the ring ends";
    logger_.warn(text);
  } catch (...) {
    logger_.warn("a ring was destroyed with results that were never collected");
  }
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
