// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/error.hpp>
#include <tailrace/ring.hpp>

#include "src/completion.hpp"
#include "src/counters.hpp"
#include "src/device_fault.hpp"
#include "src/driver.hpp"
#include "src/logger.hpp"
#include "src/process.hpp"
#include "src/region.hpp"
#include "src/resources.hpp"
#include "src/slot.hpp"
#include "src/slot_memory.hpp"
#include "src/source_check.hpp"
#include "src/sync.hpp"
#include "src/wakeup.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tailrace::inline TAILRACE_ABI::detail {

using Clock = std::chrono::steady_clock;

/// `timeout` from now, or as far as the clock goes.
[[nodiscard]] Clock::time_point deadline_after(std::chrono::nanoseconds timeout) noexcept;

template <class T>
class Kept;

/// A ring without its facade. The order of ring_core.cpp is that of a readback: submit, poll, wait, collect, discard;
/// ring_lifetime.cpp has its beginning and end.
///
/// Locks, in the order in which they may be taken: submit_mutex_, Completion's. Neither is held while user code or the
/// log handler runs. Slots change by compare-and-swap, see Slot.
class RingCore {
 public:
  RingCore(Device device, RingOptions options, std::shared_ptr<DeviceFault> fault);
  ~RingCore() = default;
  RingCore(const RingCore&) = delete;
  RingCore& operator=(const RingCore&) = delete;
  /// The end of a ring: closes it within the bound (empty: that of its options) and destroys it, or keeps it for ever
  /// if that is not safe. @returns the bytes of pinned memory that could not be given back
  static std::size_t end(std::unique_ptr<RingCore> core, std::optional<std::chrono::nanoseconds> bound = {}) noexcept;

  // What ReadbackRing says of the members of the same names.
  Ticket submit(const DeviceView& view, StreamRef producer);
  std::optional<Ticket> try_submit(const DeviceView& view, StreamRef producer);
  Ticket submit_for(const DeviceView& view, StreamRef producer, std::chrono::nanoseconds timeout);
  /// For large reads, whose source was checked as a whole: submits a part of it, in the order of the copy stream. The
  /// driver's device is current, and the capture mode relaxed.
  Ticket submit_checked(const Source& source);
  Ticket record(const DeviceView& view, StreamRef stream);
  void arm(std::span<const Ticket> tickets, StreamRef stream);
  std::size_t poll();
  SlotState state(const Ticket& ticket);
  SlotState wait_until(const Ticket& ticket, Clock::time_point deadline);
  SlotClaim wait_and_claim(const Ticket& ticket, std::size_t element_size);
  SlotClaim try_claim(const Ticket& ticket, std::size_t element_size);
  void discard(const Ticket& ticket);
  void guard_source(const Ticket& ticket, StreamRef stream);
  CloseReport close(std::chrono::nanoseconds bound);
  [[nodiscard]] Statistics statistics() const noexcept;

  /// By a claim: the slot is free again, or READY again.
  void release(unsigned slot) noexcept;
  void keep(unsigned slot) noexcept;

  /// Every slot is FREE and no thread is inside.
  [[nodiscard]] bool idle() const noexcept;
  /// As far as the counters tell, no ticket is out, no copy in flight, and no slot in quarantine: there is nothing to
  /// poll for.
  [[nodiscard]] bool quiet() const noexcept {
    return counters_.outstanding() == 0 && counters_.in_flight() == 0 && !counters_.any_quarantined();
  }
  /// The ticket's copy is proven over, and so is all that was submitted to the copy stream before it.
  [[nodiscard]] bool over(const Ticket& ticket) const noexcept {
    const Slot::View now = slots_[ticket.slot()].view();
    return !now.of(ticket.sequence()) || now.phase == Phase::free || now.phase == Phase::ready ||
           now.phase == Phase::reading || now.phase == Phase::error_over;
  }
  [[nodiscard]] bool lost() const noexcept { return fault_->lost(); }
  [[nodiscard]] native_stream copy_stream() const noexcept { return stream_.get(); }
  [[nodiscard]] Wakeup& wakeup() noexcept { return wakeup_; }
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  [[nodiscard]] const RingOptions& options() const noexcept { return options_; }
  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] unsigned slots() const noexcept { return static_cast<unsigned>(slots_.size()); }
  [[nodiscard]] std::size_t pinned_bytes() const noexcept { return memory_.bytes(); }

 private:
  // Every public call: refused after fork and at exit, and the place where pending messages are logged, when no lock is
  // held any more.
  class Call {
   public:
    Call(RingCore& core, const char* operation) : core_{core} { core.process_.check(operation); }
    ~Call() {
      if (core_.has_messages()) [[unlikely]]
        core_.tell_pending_messages();
      if (stays_) core_.inside_.fetch_sub(1, std::memory_order_acq_rel);  // last: the ring may be gone now
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    /// Whoever may be blocked in the ring is counted until the call ends, and so is a claim on a slot: the ring's end
    /// waits for them.
    void stay() noexcept {
      core_.inside_.fetch_add(1, std::memory_order_acq_rel);
      stays_ = true;
    }

   private:
    RingCore& core_;
    bool stays_ = false;
  };
  // What a ticket's slot is in, for this ticket.
  struct Look {
    Slot* slot = nullptr;
    Phase phase = Phase::free;  // free also if the slot has moved on
  };
  struct Waiting {};  // a place in the line of submit_for()
  enum class Via : std::uint8_t { copy_stream, callers_stream };
  enum class Poll : std::uint8_t { always, unless_busy };  // busy: another thread polls

  // Submitting; all under submit_mutex_.
  void check_open(const char* operation) const;
  Source check_source(const DeviceView& view, const char* operation) const;
  Phase look_at_next_slot() noexcept;
  Ticket enqueue(const Source& source, StreamRef stream, Via via);
  void order(native_stream producer, native_stream copy);
  Ticket start_copy(const Source& source, native_stream on, Via via);
  void check_with_driver(const Source& source, StreamRef stream) const;
  Ticket publish(std::size_t bytes, Phase phase, native_stream recorded_on = nullptr) noexcept;
  [[noreturn]] void refuse_slot(Phase phase, const char* operation);
  [[noreturn]] void refuse_promised(const char* operation);
  [[noreturn]] void refuse_timeout(Phase phase, std::chrono::nanoseconds timeout);

  // Tickets.
  Look look(const Ticket& ticket, const char* operation);
  Look look_settled(Call& call, const Ticket& ticket, const char* operation, Clock::time_point deadline);
  Look wait_settled(const Ticket& ticket, const char* operation, Clock::time_point deadline);
  SlotClaim claim(const Look& found, const Ticket& ticket, std::size_t element_size);
  [[noreturn]] void throw_failed_copy(Slot& slot, const Ticket& ticket);
  [[noreturn]] void refuse_arming(const Ticket& ticket) const;
  [[noreturn]] void refuse_ticket(Phase phase, const Ticket& ticket, const char* operation) const;

  void check(Status status, const char* call, ErrorDetails details) const {
    fault_->check(status, call, std::move(details));
  }
  // The same for calls on behalf of the next submission; says where only if it must.
  void check_submitting(Status status, const char* call) const {
    if (!status.ok()) check(status, call, at_next_submission());
  }
  void open();
  void freed() noexcept { wakeup_.notify(); }
  std::size_t poll_and_wake(Poll how, std::uint64_t wanted = Completion::any) noexcept;
  void pause(unsigned round, std::uint64_t epoch, Clock::time_point deadline);
  [[nodiscard]] bool waits_for_copies() const noexcept;
  [[nodiscard]] CloseReport report() const noexcept;
  void tell_end(const CloseReport& report, bool kept) const noexcept;
  [[nodiscard]] bool has_messages() const noexcept {
    return fault_->lost() || counters_.wrapped.load(std::memory_order_relaxed);
  }
  void tell_pending_messages() noexcept;
  [[nodiscard]] ErrorDetails at(const char* operation) const;
  [[nodiscard]] ErrorDetails at(const char* operation, const Ticket& ticket) const;
  [[nodiscard]] ErrorDetails at_next_slot(const char* operation) const;
  [[nodiscard]] ErrorDetails at_next_submission() const;

  const std::uint64_t id_;
  const Device device_;
  const RingOptions options_;
  const std::uint64_t first_sequence_;
  const ProcessGuard process_;
  const Logger logger_;
  const std::shared_ptr<DeviceFault> fault_;
  RingCounters counters_;
  const Driver driver_;
  const Driver submitter_;  // for calls under submit_mutex_

  // Only while the ring is made and destroyed: before its resources, so that they end on their device, also when the
  // constructor fails.
  std::optional<DeviceScope> making_;
  SlotMemory memory_;
  std::vector<Slot> slots_;
  CopyStream stream_;
  Completion completion_;  // its events end before the stream
  Wakeup wakeup_;          // slots moved or became free, or the ring was closed

  Atomic<bool> closed_{false};
  std::atomic<bool> wrap_told_{false};
  std::atomic<std::size_t> inside_{0};

  Mutex submit_mutex_;          // of everything below
  std::uint64_t position_ = 0;  // of the next submission
  unsigned next_slot_ = 0;      // the slot of that position
  bool used_ = false;
  std::uint64_t stalled_at_ = 0;  // 1 + the position whose stall was counted last
  std::list<Waiting> line_;       // callers of submit_for(), in the order of their arrival

  friend class Kept<RingCore>;
  RingCore* next_kept_ = nullptr;  // of rings that are kept for ever
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
