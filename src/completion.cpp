// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/completion.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <thread>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

Completion::Completion(const Driver& driver, DeviceFault& fault, RingCounters& counters, std::span<Slot> slots,
                       std::uint64_t first)
    : driver_{driver},
      submitter_{driver.device(), counters, counters.submit_calls},
      poller_{driver.device(), counters, counters.poll_calls},
      fault_{fault},
      counters_{counters},
      slots_{slots},
      first_sequence_{first},
      marks_(std::bit_ceil(slots.size())) {}

Status Completion::open(native_stream stream, bool external) noexcept {
  stream_ = stream;
  external_ = external;
  Status status = UniqueEvent::create(driver_, edge_);
  if (status.ok()) status = UniqueEvent::create(driver_, late_.event);
  for (auto mark = marks_.begin(); status.ok() && mark != marks_.end(); ++mark) {
    status = UniqueEvent::create(driver_, mark->event);
  }
  return status;
}

// ---- the submitter

Status Completion::enqueued(std::uint64_t position) noexcept {
  const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
  Status status;
  // The queue is full only if marks failed and were replaced by late ones: then polling covers this copy too.
  const bool room = tail - head_.load(std::memory_order_acquire) < marks_.size();
  if (room) {
    Mark& next = mark(tail);
    status = submitter_.event_record(next.event.get(), stream_);
    if (status.ok()) {
      next.end = position + 1;
      tail_.store(tail + 1, std::memory_order_release);
    }
  }
  // After the mark, so that polling does not record a late one in vain.
  enqueued_.store(position + 1, std::memory_order_release);
  return status;
}

// ---- polling

std::size_t Completion::poll(std::uint64_t wanted) noexcept {
  const std::lock_guard lock{mutex_};
  return poll_locked(wanted);
}

std::size_t Completion::try_poll(std::uint64_t wanted) noexcept {
  const std::unique_lock lock{mutex_, std::try_to_lock};
  return lock ? poll_locked(wanted) : 0;
}

bool Completion::nothing_in_flight() const noexcept {
  return groups_.empty() && !late_recorded_ &&
         head_.load(std::memory_order_relaxed) == tail_.load(std::memory_order_acquire) &&
         proven_ >= enqueued_.load(std::memory_order_acquire);
}

std::size_t Completion::poll_locked(std::uint64_t wanted) noexcept {
  if (fault_.lost()) return lose_all(fault_.status());
  if (nothing_in_flight()) return 0;  // an idle ring costs no driver call
  const CaptureScope scope{poller_};
  std::size_t moved = poll_marks(wanted);
  if (!fault_.lost() && (late_recorded_ || proven_ < enqueued_.load(std::memory_order_acquire)))
    moved += poll_late_mark();
  if (!fault_.lost() && !groups_.empty()) moved += poll_groups(wanted);
  if (fault_.lost()) moved += lose_all(fault_.status());
  return moved;
}

std::size_t Completion::poll_marks(std::uint64_t wanted) noexcept {
  constexpr unsigned most_patience = 15;
  std::size_t moved = 0;
  const std::uint64_t tail = tail_.load(std::memory_order_acquire);
  std::uint64_t head = head_.load(std::memory_order_relaxed);
  while (wanted >= proven_ && !fault_.lost()) {
    head = first_mark_of(proven_, head, tail);  // those before it were told by another one
    if (head == tail) break;
    // The first one that would tell of the position that is wanted; if there is none, it takes a late mark, and that
    // comes after all of these.
    std::uint64_t first = wanted == any ? head : first_mark_of(wanted, head, tail);
    if (first == tail) first = head;
    const std::uint64_t at = std::min(first + stride_, tail - 1);
    const Mark& asked = mark(at);
    const bool further = at != first;
    if (resolve(poller_.event_query(asked.event.get()), "event_query", asked.end, moved)) {
      if (further) patience_ = 0;
      if (further || wait_to_stride_ == 0) {
        stride_ = std::min<std::uint64_t>(2 * stride_ + 1, marks_.size());
      } else {
        --wait_to_stride_;
      }
      head = at + 1;
    } else {
      stride_ = (at - first) / 2;
      if (!further) break;
      patience_ = std::min(2 * patience_ + 1, most_patience);
      wait_to_stride_ = patience_;
    }
  }
  head_.store(first_mark_of(proven_, head, tail), std::memory_order_release);
  return moved;
}

/// The first mark from `head` on that covers the position.
std::uint64_t Completion::first_mark_of(std::uint64_t position, std::uint64_t head, std::uint64_t tail) noexcept {
  while (head != tail && mark(head).end <= position) ++head;
  return head;
}

std::size_t Completion::poll_late_mark() noexcept {
  if (late_.end <= proven_) late_recorded_ = false;  // the submitter's marks came first
  // In the other order than enqueued() writes them: whoever sees the copy sees its mark.
  const bool all_proven = proven_ >= enqueued_.load(std::memory_order_acquire);
  const bool marks_used_up = head_.load(std::memory_order_relaxed) == tail_.load(std::memory_order_acquire);
  if (!late_recorded_ && (!marks_used_up || all_proven)) return 0;
  std::size_t moved = 0;
  if (!late_recorded_) {
    const Status status = record_late_mark();
    if (external_ && status.outcome == backend::Outcome::capturing) return moved;  // later
    if (!status.ok()) {
      resolve(status, "event_record", late_.end, moved);
      return moved;
    }
  }
  if (resolve(poller_.event_query(late_.event.get()), "event_query", late_.end, moved)) late_recorded_ = false;
  return moved;
}

Status Completion::record_late_mark() noexcept {
  const std::uint64_t end = enqueued_.load(std::memory_order_acquire);  // the event will cover at least these
  const EnqueueScope scope{poller_, stream_, stream_};
  Status status = scope.status();
  bool capturing = false;
  if (status.ok() && external_) status = poller_.stream_capturing(stream_, capturing);
  if (capturing)
    return {backend::Outcome::capturing};  // it would go into the caller's graph; what is recorded stays so
  late_.end = end;
  if (status.ok()) status = poller_.event_record(late_.event.get(), stream_);
  late_recorded_ = status.ok();
  return status;
}

std::size_t Completion::poll_groups(std::uint64_t wanted) noexcept {
  std::size_t moved = 0;
  bool found = false;               // what is wanted: the rest need not be asked
  native_stream pending = nullptr;  // what is behind a pending group of the same stream is pending too
  std::erase_if(groups_, [&](Group& group) {
    if (found || fault_.lost() || group.stream == pending) return false;
    const Status status = poller_.event_query(group.event.get());
    if (status.pending()) {
      // The per-thread stream is another one on every thread.
      if (group.stream != backend::per_thread_stream) pending = group.stream;
      return false;
    }
    found = wanted != any && std::ranges::find(group.positions, wanted) != group.positions.end();
    if (status.ok()) {
      for (const std::uint64_t position : group.positions) moved += prove(slot(position), position);
      spare_events_.push_back(std::move(group.event));  // reserved by arm()
      return true;
    }
    if (status.lost()) fault_.set(status, "event_query");
    for (const std::uint64_t position : group.positions) moved += fail(slot(position), position, status);
    return false;  // queried again: the slots wait for proof
  });
  return moved;
}

bool Completion::resolve(Status status, const char* call, std::uint64_t end, std::size_t& moved) noexcept {
  if (status.pending()) return false;
  if (status.ok()) {
    moved += prove_up_to(end);
    return true;
  }
  if (status.lost()) fault_.set(status, call);
  moved += fail_up_to(end, status);
  return true;
}

// ---- what it means for the slots

bool Completion::waits_for_mark(const Slot& slot, std::uint64_t position) const noexcept {
  const Slot::View now = slot.view();
  // Only in these phases can nobody else free the slot, and the submitter rewrite the occupant.
  const bool held = now.phase == Phase::pending || now.phase == Phase::discarded || now.phase == Phase::error_open ||
                    now.phase == Phase::quarantined;
  return held && now.of(first_sequence_ + position) && slot.occupant().recorded_on == nullptr;
}

/// Acts on every slot that waits for a mark which covers the positions below `end`.
template <class Act>
std::size_t Completion::for_marked(std::uint64_t end, Act act) noexcept {
  std::size_t moved = 0;
  // Slots used without a copy can make the distance longer than the ring.
  const std::uint64_t size = slots_.size();
  std::uint64_t position = end - proven_ > size ? end - size : proven_;
  for (std::uint64_t index = position % size; position != end; ++position) {
    Slot& slot = slots_[index];
    if (waits_for_mark(slot, position)) moved += act(slot, position);
    if (++index == size) index = 0;
  }
  return moved;
}

std::size_t Completion::prove_up_to(std::uint64_t end) noexcept {
  // Before the slots are free: the copies that come next need the places of these marks.
  const std::uint64_t tail = tail_.load(std::memory_order_acquire);
  head_.store(first_mark_of(end, head_.load(std::memory_order_relaxed), tail), std::memory_order_release);
  const std::size_t moved =
      for_marked(end, [this](Slot& slot, std::uint64_t position) { return prove(slot, position); });
  proven_ = end;
  return moved;
}

std::size_t Completion::fail_up_to(std::uint64_t end, Status status) noexcept {
  return for_marked(end, [&](Slot& slot, std::uint64_t position) { return fail(slot, position, status); });
}

std::size_t Completion::prove(Slot& slot, std::uint64_t position) noexcept {
  const std::uint64_t sequence = first_sequence_ + position;
  const Slot::View now = slot.view();
  // Before the change: after it the slot may be taken again at once, and more would be in flight than there are slots.
  if (now.of(sequence) && (now.phase == Phase::pending || now.phase == Phase::discarded)) {
    counters_.count(counters_.left_flight);
  }
  const Slot::Change change = slot.prove(sequence);
  return change && change.before != Phase::error_open ? 1 : 0;
}

std::size_t Completion::fail(Slot& slot, std::uint64_t position, Status status) noexcept {
  return slot.fail(first_sequence_ + position, status) ? count_failed() : 0;
}

std::size_t Completion::lose_all(Status status) noexcept {
  std::size_t moved = 0;
  for (Slot& slot : slots_) {
    // In these phases nobody else can free the slot, and the submitter rewrite the occupant.
    if (const Phase phase = slot.view().phase; phase != Phase::pending && phase != Phase::unarmed) continue;
    if (slot.lose(slot.occupant().sequence, status)) moved += count_failed();
  }
  return moved;
}

std::size_t Completion::count_failed() noexcept {
  counters_.count(counters_.left_flight);
  counters_.count(counters_.errors);
  return 1;
}

// ---- slots on the caller's stream, and source guards

Completion::Armed Completion::arm(std::vector<std::uint64_t> positions, native_stream stream) {
  const std::lock_guard lock{mutex_};
  // Everything that can fail for want of memory comes first.
  groups_.reserve(groups_.size() + 1);
  spare_events_.reserve(groups_.size() + spare_events_.size() + 1);
  for (const std::uint64_t position : positions) {
    const Slot::View now = slot(position).view();
    if (!now.of(first_sequence_ + position) || now.phase != Phase::unarmed) return {.refused = Refused::not_unarmed};
    if (!recorded_on(position, stream)) return {.refused = Refused::other_stream};
  }
  Group group{.stream = stream, .positions = std::move(positions)};
  Status status;
  if (spare_events_.empty()) {
    status = UniqueEvent::create(driver_, group.event);
  } else {
    group.event = std::move(spare_events_.back());
    spare_events_.pop_back();
  }
  if (status.ok()) status = poller_.event_record(group.event.get(), stream);
  if (!status.ok()) {
    if (group.event.get() != nullptr) spare_events_.push_back(std::move(group.event));
    return {.status = status};
  }
  for (const std::uint64_t position : group.positions) slot(position).arm(first_sequence_ + position);
  groups_.push_back(std::move(group));
  return {};
}

bool Completion::recorded_on(std::uint64_t position, native_stream stream) noexcept {
  const Slot::Occupant& occupant = slot(position).occupant();
  if (occupant.recorded_on != stream) return false;
  return stream != backend::per_thread_stream || occupant.recorded_by == std::this_thread::get_id();
}

Status Completion::order_after(std::uint64_t position, native_stream stream) noexcept {
  const std::lock_guard lock{mutex_};
  const Slot::View now = slot(position).view();
  const bool open = now.phase == Phase::pending || now.phase == Phase::error_open;
  if (!now.of(first_sequence_ + position) || !open) return {};  // it ended meanwhile
  for (const Group& group : groups_) {
    if (std::ranges::find(group.positions, position) == group.positions.end()) continue;
    return poller_.stream_wait(stream, group.event.get());
  }
  const std::uint64_t tail = tail_.load(std::memory_order_acquire);
  const std::uint64_t at = first_mark_of(position, head_.load(std::memory_order_relaxed), tail);
  if (at != tail) return poller_.stream_wait(stream, mark(at).event.get());
  if (!late_recorded_ || late_.end <= position) {
    if (const Status status = record_late_mark(); !status.ok()) return status;
  }
  return poller_.stream_wait(stream, late_.event.get());
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
