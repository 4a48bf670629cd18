// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "src/counters.hpp"
#include "src/device_fault.hpp"
#include "src/driver.hpp"
#include "src/resources.hpp"
#include "src/slot.hpp"
#include "src/sync.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace tailrace::inline TAILRACE_ABI::detail {

/// Finds out which copies of a ring are over.
///
/// Copies of one stream end in order, so that one completed event proves every copy before it. The submitter records a
/// mark (an event and the position up to which it covers) behind each copy, at once, so that no result waits for what
/// was submitted after it. A copy whose mark could not be recorded, or whose mark failed, is covered by a late mark,
/// which polling records itself once the submitter's marks are used up.
///
/// Recording an event costs little beside a copy, but a query between submissions costs half as much as a copy does
/// (docs/performance.md). So polling does not ask mark by mark: it asks for one that is `stride_` marks further on,
/// which proves all before it, and comes closer while the answer is "pending". The stride doubles with every success
/// and halves with every failure, so that a stream with many results needs a query for several of them, and one whose
/// oldest copy is awaited a query for that.
///
/// A position counts submissions from 0; it gives the slot (position mod slots) and the sequence number (first sequence
/// + position, which may wrap). Slots filled on a caller's stream have groups of their own, one event each.
///
/// Locking: the submitter (under the ring's submit lock) and polling share only a single-producer single-consumer queue
/// of marks. `mutex_` is of the polling side and never held by the submitter.
class Completion {
 public:
  /// @param driver  for calls by any thread
  Completion(const Driver& driver, DeviceFault& fault, RingCounters& counters, std::span<Slot> slots,
             std::uint64_t first);

  /// Creates the events. To be called once, before anything else.
  /// @param external  the stream is the caller's, who may capture it
  Status open(native_stream stream, bool external) noexcept;

  // Submitter.

  /// The copy at `position` was enqueued and its slot published. Records a mark; if that fails, polling will.
  /// @returns the status of recording
  Status enqueued(std::uint64_t position) noexcept;
  /// The event of the producer edge, of the submitter's use.
  [[nodiscard]] native_event edge() const noexcept { return edge_.get(); }

  // Anyone.

  /// No position in particular.
  static constexpr std::uint64_t any = ~std::uint64_t{0};

  /// Looks at completion: of everything, or until it is known of the position that is wanted.
  /// @returns how many slots moved
  std::size_t poll(std::uint64_t wanted = any) noexcept;
  /// The same, unless another thread is at it: then its result will do.
  std::size_t try_poll(std::uint64_t wanted) noexcept;
  enum class Refused : std::uint8_t { no, not_unarmed, other_stream };
  struct Armed {
    Refused refused = Refused::no;
    Status status{};
  };
  /// Makes slots of record() collectable, by one event on their stream. Changes nothing if one of them is refused, or
  /// if a driver call fails.
  Armed arm(std::vector<std::uint64_t> positions, native_stream stream);
  /// Orders `stream` after the copy at `position`, unless it is over. @returns the status
  Status order_after(std::uint64_t position, native_stream stream) noexcept;

 private:
  struct Mark {
    UniqueEvent event;
    std::uint64_t end = 0;  // covers positions below it
  };
  // Slots armed together. One that failed stays, so that a later query can prove its copies over.
  struct Group {
    UniqueEvent event{};
    native_stream stream = nullptr;
    std::vector<std::uint64_t> positions;
  };

  Slot& slot(std::uint64_t position) noexcept { return slots_[position % slots_.size()]; }
  Mark& mark(std::uint64_t at) noexcept { return marks_[at & (marks_.size() - 1)]; }
  [[nodiscard]] bool nothing_in_flight() const noexcept;
  std::size_t poll_locked(std::uint64_t wanted) noexcept;
  std::size_t poll_marks(std::uint64_t wanted) noexcept;
  [[nodiscard]] std::uint64_t first_mark_of(std::uint64_t position, std::uint64_t head, std::uint64_t tail) noexcept;
  std::size_t poll_late_mark() noexcept;
  std::size_t poll_groups(std::uint64_t wanted) noexcept;
  Status record_late_mark() noexcept;
  // Looks at one event that covers the stream up to `end`. @returns false if it is still pending
  bool resolve(Status status, const char* call, std::uint64_t end, std::size_t& moved) noexcept;
  template <class Act>
  std::size_t for_marked(std::uint64_t end, Act act) noexcept;
  bool waits_for_mark(const Slot& slot, std::uint64_t position) const noexcept;
  std::size_t prove_up_to(std::uint64_t end) noexcept;
  std::size_t fail_up_to(std::uint64_t end, Status status) noexcept;
  std::size_t prove(Slot& slot, std::uint64_t position) noexcept;
  std::size_t fail(Slot& slot, std::uint64_t position, Status status) noexcept;
  std::size_t lose_all(Status status) noexcept;
  std::size_t count_failed() noexcept;
  bool recorded_on(std::uint64_t position, native_stream stream) noexcept;

  const Driver& driver_;
  const Driver submitter_;  // counts for the submitter
  const Driver poller_;     // counts for whoever holds mutex_
  DeviceFault& fault_;
  RingCounters& counters_;
  std::span<Slot> slots_;
  std::uint64_t first_sequence_;
  native_stream stream_ = nullptr;
  bool external_ = false;
  UniqueEvent edge_;

  // Queue of marks: the submitter writes at tail_, polling reads at head_. It has at least as many places as the ring
  // has slots, and a slot that is in flight has at most one mark. The number of places is a power of two.
  std::vector<Mark> marks_;
  alignas(64) Atomic<std::uint64_t> tail_{0};
  Atomic<std::uint64_t> enqueued_{0};  // positions below it were enqueued on stream_
  alignas(64) Atomic<std::uint64_t> head_{0};

  Mutex mutex_;                  // of everything below
  std::uint64_t proven_ = 0;     // positions below it are over, as far as they were on stream_
  std::uint64_t stride_ = 0;     // marks to skip with the next query
  unsigned patience_ = 0;        // successes without a stride that are awaited after it failed
  unsigned wait_to_stride_ = 0;  // those that are left
  Mark late_;
  bool late_recorded_ = false;
  std::vector<Group> groups_;
  std::vector<UniqueEvent> spare_events_;  // of groups that ended: none is created after warm-up
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
