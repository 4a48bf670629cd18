// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/error.hpp>
#include <tailrace/ticket.hpp>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <set>
#include <vector>

namespace property {

using tailrace::Errc;
using tailrace::SlotState;

/// How a call may end: with one of these codes, or without an error.
using Endings = std::set<std::optional<Errc>>;

/// What a ring must do, as simply as it can be said, for one caller who knows which copies are over.
///
/// Where a mark had to be replaced it may take a ring some polls to notice that a copy is over, and as long as a copy
/// that came before the new mark is in flight; then it may answer either way.
class ReferenceRing {
 public:
  enum class Life { unarmed, pending, error, discarded, quarantined, ended };
  struct Submission {
    Life life = Life::pending;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    bool over = false;  ///< its copy is
    bool late = false;  ///< and may be noticed late
    [[nodiscard]] bool in_use() const { return life != Life::ended; }
    [[nodiscard]] bool ready() const { return life == Life::pending && over; }
  };

  ReferenceRing(std::size_t slots, std::size_t capacity) : slots_{slots}, capacity_{capacity} {}

  std::vector<Submission> submissions;
  bool closed = false;

  /// Every copy that was submitted is over.
  void all_over() {
    for (Submission& s : submissions) s.over = true;
  }

  [[nodiscard]] Endings submitting(std::size_t bytes) const {
    if (bytes > capacity_) return {Errc::exceeds_slot};
    if (closed) return {Errc::closed};
    if (submissions.size() < slots_) return {{}};
    const Submission& in_slot = submissions[submissions.size() - slots_];
    const auto either = [&](Errc before, std::optional<Errc> after) {
      if (!in_slot.over) return Endings{before};
      return in_slot.late ? Endings{before, after} : Endings{after};
    };
    switch (in_slot.life) {
      case Life::ended: return {{}};
      case Life::unarmed: return {Errc::slot_unarmed};
      case Life::pending: return either(Errc::slot_pending, Errc::slot_ready);
      case Life::error: return {Errc::slot_error};
      case Life::discarded: return either(Errc::slot_discarded, {});
      case Life::quarantined: break;
    }
    return either(Errc::slot_quarantined, {});
  }
  void accept(Submission submission) {
    // Whatever was in the slot has ended.
    if (submissions.size() >= slots_) submissions[submissions.size() - slots_].life = Life::ended;
    submissions.push_back(submission);
  }

  [[nodiscard]] std::set<SlotState> state(const Submission& s) const {
    switch (s.life) {
      case Life::unarmed: return {SlotState::pending};
      case Life::error: return {SlotState::error};
      case Life::pending: break;
      default: return {SlotState::free};
    }
    if (!s.over) return {SlotState::pending};
    if (s.late) return {SlotState::pending, SlotState::ready};
    return {SlotState::ready};
  }
  /// Of calls that take or give up what the ticket names.
  [[nodiscard]] static Endings using_ticket(const Submission& s) {
    switch (s.life) {
      case Life::unarmed: return {Errc::not_armed};
      case Life::pending: return {{}};
      case Life::error: return {Errc::copy_failed};
      default: return {Errc::stale_ticket};
    }
  }
  static void end_error(Submission& s) { s.life = Life::quarantined; }

 private:
  std::size_t slots_;
  std::size_t capacity_;
};

}  // namespace property
