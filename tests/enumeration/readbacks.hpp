// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/ring.hpp>
#include <tailrace/ring_set.hpp>
#include <tailrace/runtime.hpp>

#include "tests/enumeration/invariants.hpp"
#include "tests/enumeration/stage.hpp"
#include "tests/support/readbacks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace enumeration {

inline tailrace::Statistics statistics_of(const tailrace::ReadbackRing& ring) { return ring.statistics(); }
inline tailrace::Statistics statistics_of(const tailrace::RingSet& set) { return set.statistics(); }
inline tailrace::Statistics statistics_of(const tailrace::Runtime& runtime) { return runtime.statistics().rings; }

/// The small readbacks of a ring, a ring set or a runtime, and what must hold of them:
///  - the bytes that are handed out are those that were submitted;
///  - a ticket ends once, by its bytes, its error or discard(), and is stale from then on;
///  - the statistics say so too;
///  - when the fault is over every slot can be used again; on a lost device every submission is refused with that.
template <class Owner>
class Readbacks {
 public:
  Readbacks(Invariants& check, Owner& owner, const Told& told, Stage& of) noexcept
      : check_{check}, owner_{owner}, told_{told}, stage_{of} {}

  static constexpr auto by_submit = [](Owner& owner, const tailrace::DeviceView& view, tailrace::StreamRef stream) {
    return std::optional{owner.submit(view, stream)};
  };
  static constexpr auto by_try_submit = [](Owner& owner, const tailrace::DeviceView& view, tailrace::StreamRef stream) {
    return owner.try_submit(view, stream);
  };
  static constexpr auto by_record = [](Owner& owner, const tailrace::DeviceView& view, tailrace::StreamRef stream) {
    return std::optional{owner.record(view, stream)};
  };

  /// False if it was refused.
  template <class How = decltype(by_submit)>
  bool submit(std::size_t words, How how = by_submit) {
    const Stage::Stamped source = stage_.stamp(words);
    return check_.attempt("submission", [&] {
      if (const std::optional<tailrace::Ticket> ticket = how(owner_, source.view, stage_.producer())) {
        open_.push_back({*ticket, source.value});
        ++submitted_;
      } else {
        check_.require(check_.faulty(), "there was no slot");
      }
    });
  }
  /// A ticket that somebody else's submission gave, with the value of its source.
  void add(const tailrace::Ticket& ticket, std::uint64_t value) {
    open_.push_back({ticket, value});
    ++submitted_;
  }
  /// The tickets that are not settled yet, the oldest first.
  [[nodiscard]] std::vector<tailrace::Ticket> tickets() const {
    std::vector<tailrace::Ticket> all;
    for (const Open& one : open_) all.push_back(one.ticket);
    return all;
  }

  void collect_oldest() {
    if (!open_.empty()) collect(0);
  }
  /// Those whose copies have failed; waits for none.
  void collect_failed() {
    for (std::size_t at = 0; at < open_.size();) {
      const bool failed = owner_.state(open_[at].ticket) == tailrace::SlotState::error;
      at += failed && collect(at) ? 0 : 1;
    }
  }
  void discard_newest() {
    if (open_.empty()) return;
    const Open given_up = open_.back();
    if (!check_.attempt("discard", [&] { owner_.discard(given_up.ticket); })) return;
    open_.pop_back();
    ++discarded_;
    expect_stale(given_up);
  }
  void guard_newest() {
    if (open_.empty()) return;
    check_.attempt("guard_source", [&] { owner_.guard_source(open_.back().ticket, stage_.other()); });
  }

  /// Collects what there is, except what was never armed or is in flight in a ring that is closed.
  void settle() {
    for (std::size_t at = 0; at < open_.size();) at += collect(at) ? 0 : 1;
    const tailrace::Statistics now = statistics_of(owner_);
    expect_count("submissions", now.submissions, submitted_);
    expect_count("collected", now.collected, collected_);
    expect_count("discarded", now.discarded, discarded_);
    expect_count("errors collected", now.errors_collected, failed_);
    expect_count("outstanding", now.outstanding, open_.size());
  }

  /// Once all faults have happened: so many slots are there again, or the device is lost for good.
  void work_on(unsigned slots) {
    if (!check_.over()) return;
    if (stage_.lost()) return expect_lost();
    for (unsigned i = 0; i < slots; ++i) {
      // The first look at a slot whose copy is to be proven over may be what records the event that proves it.
      if (!submit(1)) check_.require(submit(1), "a slot is lost");
    }
    const std::size_t failures = failed_;
    settle();
    check_.require(failed_ == failures, "a readback fails after the fault is over");
  }

 private:
  struct Open {
    tailrace::Ticket ticket;
    std::uint64_t value;
  };

  /// True if the ticket is settled.
  bool collect(std::size_t at) {
    const Open one = open_[at];
    try {
      const std::vector<std::byte> bytes = owner_.collect(one.ticket);
      ++collected_;
      check_.require(bytes.size() == one.ticket.size() && test::all_words_are(bytes, one.value),
                     "bytes were handed out that are not those of the source");
    } catch (const tailrace::Error& error) {
      const tailrace::Errc code = error.errc();
      if (code == tailrace::Errc::not_armed || code == tailrace::Errc::closed) return false;
      check_.judge("collect", error);
      if (code != tailrace::Errc::copy_failed) return false;
      ++failed_;
    }
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
    expect_stale(one);
    return true;
  }
  void expect_stale(const Open& settled) {
    check_.refused("a settled ticket", tailrace::Errc::stale_ticket,
                   [&] { static_cast<void>(owner_.try_collect(settled.ticket)); });
  }
  void expect_count(const std::string& what, std::uint64_t counted, std::uint64_t seen) {
    check_.require(counted == seen, "statistics say " + std::to_string(counted) + " " + what + ", and there were " +
                                        std::to_string(seen));
  }
  void expect_lost() {
    for (int again = 0; again < 2; ++again) {
      check_.refused("a submission to a lost device", tailrace::Errc::device_lost,
                     [&] { static_cast<void>(owner_.submit(stage_.stamp(1).view, stage_.producer())); });
    }
    check_.require(told_.of(tailrace::LogLevel::error).size() == 1, "a lost device was not told of");
  }

  Invariants& check_;
  Owner& owner_;
  const Told& told_;
  Stage& stage_;
  std::vector<Open> open_;
  std::size_t submitted_ = 0;
  std::size_t collected_ = 0;
  std::size_t discarded_ = 0;
  std::size_t failed_ = 0;
};

}  // namespace enumeration
