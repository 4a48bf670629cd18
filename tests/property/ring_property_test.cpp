// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Any sequence of calls on a ring, faults of the device included, ends as the reference says.
//
// RC_PARAMS="max_success=10000" tries more sequences, RC_PARAMS="seed=..." those of another run.

#include <tailrace/ring.hpp>
#include <tailrace/testing.hpp>

#include "tests/property/reference_ring.hpp"
#include "tests/support/device.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <ostream>
#include <string_view>

namespace property {

using tailrace::ReadbackRing;
using tailrace::Ticket;
using Life = ReferenceRing::Life;

constexpr unsigned slots = 3;
constexpr std::size_t capacity = 48;

/// One call; what it does not need is ignored.
struct Operation {
  enum Kind {
    submit,
    try_submit,
    submit_for,
    record,
    arm,
    state,
    wait,
    visit,
    visit_throws,
    collect,
    collect_too_small,
    discard,
    guard,
    poll,
    hold,
    release,
    close,
    fail_copy,
    fail_edge,
    fail_mark,
    fail_query,
    kinds
  };
  Kind kind = submit;
  std::size_t ticket = 0;  ///< from the newest back
  std::size_t bytes = 0;
};

std::ostream& operator<<(std::ostream& out, const Operation& operation) {
  static constexpr const char* names[]{
      "submit",       "try_submit", "submit_for",        "record",    "arm",       "state", "wait", "visit",
      "visit_throws", "collect",    "collect_too_small", "discard",   "guard",     "poll",  "hold", "release",
      "close",        "fail_copy",  "fail_edge",         "fail_mark", "fail_query"};
  static_assert(std::size(names) == Operation::kinds);
  return out << names[operation.kind] << "(ticket -" << operation.ticket << ", " << operation.bytes << " bytes)";
}

rc::Gen<std::vector<Operation>> sequences() {
  // Weighted towards what fills and empties a ring; a ring that is closed early shows little.
  const auto kind = rc::gen::weightedOneOf<int>({{12, rc::gen::inRange(0, 2)},
                                                 {12, rc::gen::inRange<int>(Operation::visit, Operation::guard)},
                                                 {10, rc::gen::inRange<int>(0, Operation::close)},
                                                 {2, rc::gen::inRange<int>(Operation::close, Operation::kinds)}});
  return rc::gen::container<std::vector<Operation>>(rc::gen::build<Operation>(
      rc::gen::set(&Operation::kind, rc::gen::map(kind, [](int value) { return static_cast<Operation::Kind>(value); })),
      rc::gen::set(&Operation::ticket, rc::gen::inRange<std::size_t>(0, slots + 2)),
      rc::gen::set(&Operation::bytes,
                   rc::gen::weightedOneOf<std::size_t>({{8, rc::gen::inRange<std::size_t>(1, capacity + 1)},
                                                        {1, rc::gen::element<std::size_t>(0, capacity + 1)}}))));
}

/// A ring and its reference, taken through the same calls.
class Pair {
 public:
  Pair() : reference_{slots, capacity} {
    for (std::size_t i = 0; i < pattern_.size(); ++i) pattern_[i] = static_cast<std::byte>(i * 7 + i / 251);
    source_.upload(pattern_);
  }
  ~Pair() {
    tailrace::control::clear_failures();
    release();
    for (std::size_t n = 0; n < tickets_.size(); ++n) {  // or their memory would be kept
      if (reference_.submissions[n].life == Life::unarmed) arm(n);
    }
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  void apply(const Operation& operation) {
    switch (operation.kind) {
      case Operation::submit:
      case Operation::try_submit:
      case Operation::submit_for:
      case Operation::record: return submit(operation);
      case Operation::fail_copy: return submit_failing(tailrace::DriverCall::copy, 1);
      case Operation::fail_edge: return submit_failing(tailrace::DriverCall::event_record, 1);
      case Operation::fail_mark: return submit_without_mark();
      case Operation::fail_query: return fail_query();
      case Operation::poll: RC_ASSERT(ring_.poll() <= slots); return;
      case Operation::hold: return hold();
      case Operation::release: return release();
      case Operation::close:
        ring_.close(std::chrono::nanoseconds{0});
        reference_.closed = true;
        return;
      default: break;
    }
    if (tickets_.empty()) return;
    const std::size_t back = std::min(operation.ticket, tickets_.size() - 1);
    use(operation.kind, tickets_.size() - 1 - back);
  }
  /// In the end everything can be taken, with its own bytes.
  void take_all() {
    tailrace::control::clear_failures();
    release();
    for (std::size_t n = 0; n < tickets_.size(); ++n) {
      if (reference_.submissions[n].life == Life::unarmed) arm(n);
      if (reference_.submissions[n].in_use()) take(n, Operation::collect);
    }
  }

 private:
  template <class Call>
  std::optional<Errc> ending_of(Call call) {
    try {
      call();
      return {};
    } catch (const tailrace::Error& error) {
      RC_ASSERT(std::string_view{error.what()}.find("Fix: ") != std::string_view::npos);
      return error.errc();
    }
  }
  static void require(const std::optional<Errc>& ending, const Endings& allowed) {
    if (allowed.contains(ending)) return;
    RC_FAIL("it ended with " + (ending ? make_error_code(*ending).message() : std::string{"no error"}));
  }

  // Submitting.

  void submit(const Operation& operation) {
    const tailrace::DeviceView view{source_.data(), next_offset(), operation.bytes};
    std::optional<Ticket> ticket;
    std::optional<Errc> ending = ending_of([&] {
      if (operation.kind == Operation::submit) ticket = ring_.submit(view, producer_);
      if (operation.kind == Operation::try_submit) ticket = ring_.try_submit(view, producer_);
      if (operation.kind == Operation::submit_for) {
        ticket = ring_.submit_for(view, producer_, std::chrono::nanoseconds{0});
      }
      if (operation.kind == Operation::record) ticket = ring_.record(view, producer_);
    });
    Endings allowed = reference_.submitting(operation.bytes);
    if (operation.kind == Operation::try_submit) {
      RC_ASSERT(ending != Errc::slot_pending && ending != Errc::slot_ready);
      if (!ending && !ticket) ending = Errc::timed_out;  // "not now", without an exception
      if (allowed.erase(Errc::slot_pending) + allowed.erase(Errc::slot_ready) != 0) allowed.insert(Errc::timed_out);
    }
    if (operation.kind == Operation::submit_for && !allowed.contains(Errc::closed) &&
        !allowed.contains(Errc::exceeds_slot)) {
      const bool free = allowed.contains(std::nullopt);
      if (allowed.size() > 1 || !free) allowed = free ? Endings{{}, Errc::timed_out} : Endings{Errc::timed_out};
    }
    require(ending, allowed);
    if (ticket) accept(*ticket, operation.bytes, operation.kind == Operation::record ? Life::unarmed : Life::pending);
  }
  /// A driver call of the submission fails: nothing is consumed.
  void submit_failing(tailrace::DriverCall call, std::uint64_t k) {
    if (reference_.submitting(1) != Endings{{}}) return;
    tailrace::control::fail_call(call, k);
    require(ending_of([&] { static_cast<void>(ring_.submit({source_.data(), 1}, producer_)); }), {Errc::driver_error});
    tailrace::control::clear_failures();
  }
  /// The copy is enqueued, but not its mark: it is accepted all the same.
  void submit_without_mark() {
    if (reference_.submitting(1) != Endings{{}}) return;
    tailrace::control::fail_call(tailrace::DriverCall::event_record, 2);  // the first one is the producer's
    const Ticket ticket = ring_.submit({source_.data(), next_offset(), 1}, producer_);
    tailrace::control::clear_failures();
    accept(ticket, 1, Life::pending);
    reference_.submissions.back().late = true;
  }
  void accept(const Ticket& ticket, std::size_t bytes, Life life) {
    RC_ASSERT(ticket.size() == bytes);
    reference_.accept(
        {.life = bytes == 0 ? Life::pending : life, .offset = next_offset(), .bytes = bytes, .over = bytes == 0});
    tickets_.push_back(ticket);
    settle();
  }
  std::size_t next_offset() const { return tickets_.size() * 13 % (pattern_.size() - 2 * capacity); }

  // The device.

  void hold() {
    settle();
    if (!hold_) hold_.emplace(producer_);
  }
  void release() {
    hold_.reset();
    settle();
  }
  /// While nothing is held, every copy is over before the next call.
  void settle() {
    if (hold_) return;
    producer_.synchronize();
    copy_stream_.synchronize();
    reference_.all_over();
  }
  /// A query fails hard: what it covers, and nothing else, may be ERROR now.
  void fail_query() {
    tailrace::control::fail_call(tailrace::DriverCall::event_query, 1);
    ring_.poll();
    tailrace::control::clear_failures();
    for (std::size_t n = 0; n < tickets_.size(); ++n) {
      ReferenceRing::Submission& s = reference_.submissions[n];
      // Who is discarded is covered, too, but nobody is told.
      if (s.life == Life::discarded || s.life == Life::quarantined) s.late = true;
      if (s.life != Life::pending || ring_.state(tickets_[n]) != SlotState::error) continue;
      RC_ASSERT(s.bytes != 0);
      s.life = Life::error;
      s.late = true;
    }
  }

  // Tickets.

  void use(Operation::Kind kind, std::size_t n) {
    ReferenceRing::Submission& s = reference_.submissions[n];
    const Ticket& ticket = tickets_[n];
    switch (kind) {
      case Operation::arm: return arm(n);
      case Operation::state: RC_ASSERT(reference_.state(s).contains(ring_.state(ticket))); return;
      case Operation::wait: return wait(n);
      case Operation::discard: {
        const Endings allowed = s.life == Life::error ? Endings{{}} : ReferenceRing::using_ticket(s);
        require(ending_of([&] { ring_.discard(ticket); }), allowed);
        if (s.life == Life::error) ReferenceRing::end_error(s);
        if (s.life == Life::pending) s.life = s.bytes == 0 ? Life::ended : Life::discarded;
        return;
      }
      case Operation::guard:
        require(ending_of([&] { ring_.guard_source(ticket, other_); }), ReferenceRing::using_ticket(s));
        return;
      default: return take(n, kind);
    }
  }
  void arm(std::size_t n) {
    ReferenceRing::Submission& s = reference_.submissions[n];
    const std::optional<Errc> ending = ending_of([&] { ring_.arm(tickets_[n], producer_); });
    if (s.life == Life::unarmed) {
      require(ending, {{}});
      s.life = Life::pending;
      s.late = hold_.has_value();  // its event comes behind what is held
      return settle();
    }
    const bool stale = reference_.state(s) == std::set{SlotState::free};
    const bool empty = s.life == Life::pending && s.bytes == 0;
    require(ending, {empty ? std::nullopt : std::optional{stale ? Errc::stale_ticket : Errc::already_armed}});
  }
  void wait(std::size_t n) {
    ReferenceRing::Submission& s = reference_.submissions[n];
    SlotState found{};
    const auto bound = std::chrono::nanoseconds{0};
    Endings allowed = s.life == Life::error ? Endings{{}} : ReferenceRing::using_ticket(s);
    if (reference_.closed && s.life == Life::pending && (!s.over || s.late)) allowed.insert(Errc::closed);
    const bool soon = s.ready() && !(s.late && hold_);
    const auto ending = ending_of([&] { found = soon ? ring_.wait(tickets_[n]) : ring_.wait_for(tickets_[n], bound); });
    require(ending, allowed);
    if (ending) return;
    if (found == SlotState::ready) s.late = false;
    RC_ASSERT(reference_.state(s).contains(found));
    RC_ASSERT(!soon || found != SlotState::pending);
  }
  /// visit() and collect() in their kinds.
  void take(std::size_t n, Operation::Kind kind) {
    ReferenceRing::Submission& s = reference_.submissions[n];
    if (s.ready() && s.late) wait(n);
    if (s.ready() && s.late) return;  // it may be noticed at any moment
    std::vector<std::byte> got(s.bytes - (kind == Operation::collect_too_small && s.bytes != 0 ? 1 : 0));
    bool taken = false;
    Endings allowed = ReferenceRing::using_ticket(s);
    const bool too_small = got.size() < s.bytes;
    // A ticket that is used is refused as such, any other for the size of what it should go to.
    if (too_small && reference_.state(s) != std::set{SlotState::free}) allowed = {Errc::buffer_too_small};
    struct Thrown {};
    const auto ending = ending_of([&] {
      if (kind == Operation::visit || kind == Operation::visit_throws) {
        try {
          taken = ring_.try_visit(tickets_[n], [&](std::span<const std::byte> bytes) {
            std::ranges::copy(bytes, got.begin());
            if (kind == Operation::visit_throws) throw Thrown{};
          });
        } catch (const Thrown&) {
          taken = true;
        }
      } else {
        taken = ring_.try_collect(tickets_[n], std::span{got}).has_value();
      }
    });
    require(ending, allowed);
    if (ending == Errc::copy_failed) return ReferenceRing::end_error(s);
    if (ending) return;
    RC_ASSERT(taken == s.ready());
    if (!taken) return;
    const auto expected = std::span{pattern_}.subspan(s.offset, s.bytes);
    RC_ASSERT(std::ranges::equal(got, expected));
    s.life = Life::ended;
  }

  std::vector<std::byte> pattern_ = std::vector<std::byte>(1024);
  test::Buffer source_{1024};
  test::Stream producer_;
  test::Stream other_;
  test::Stream copy_stream_;
  ReferenceRing reference_;
  std::vector<Ticket> tickets_;
  ReadbackRing ring_{tailrace::Device{0},
                     {.slots = slots, .capacity = capacity, .copy_stream = copy_stream_, .log = [](auto, auto) {}}};
  std::optional<test::Hold> hold_;
};

RC_GTEST_PROP(RingProperty, EverySequenceOfCallsEndsAsTheReferenceSays, ()) {
  // The wrap of the sequence number is somewhere in the middle, or nowhere.
  tailrace::control::start_sequences_at(*rc::gen::element<std::uint64_t>(0, ~std::uint64_t{0} - 5));
  const auto operations = *sequences();
  Pair pair;
  for (const Operation& operation : operations) pair.apply(operation);
  pair.take_all();
}

}  // namespace property
