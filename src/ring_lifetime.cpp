// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// How a ring begins and ends. The data path is in ring_core.cpp.

#include "src/kept.hpp"
#include "src/ring_core.hpp"

#include <algorithm>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

std::uint64_t next_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

RingOptions normalised(RingOptions options) {
  options.slots = std::clamp(options.slots, 2U, 256U);
  if (options.capacity == 0) options.capacity = 4;
  return options;
}

}  // namespace

// ---- beginning

RingCore::RingCore(Device device, RingOptions options, std::shared_ptr<DeviceFault> fault)
    : id_{next_id()},
      device_{device},
      options_{normalised(std::move(options))},
      first_sequence_{first_sequence.load(std::memory_order_relaxed)},
      logger_{options_.log},
      fault_{std::move(fault)},
      driver_{device.ordinal(), counters_},
      submitter_{device.ordinal(), counters_, counters_.submit_calls},
      slots_(options_.slots),
      completion_{driver_, *fault_, counters_, slots_, first_sequence_} {
  static_cast<void>(SlotMemory::bytes_for(options_.slots, options_.capacity));  // refused before any driver call
  making_.emplace(driver_);
  check(making_->status(), "current_device", at("ReadbackRing"));
  open();
  making_.reset();
}

void RingCore::open() {
  if (options_.copy_stream == StreamRef::per_thread()) {
    throw Error{Errc::invalid_argument, "the per-thread default stream cannot be a ring's copy stream",
                "pass a stream that is the same one on every thread, or none", at("ReadbackRing")};
  }
  if (options_.copy_stream) {
    stream_ = CopyStream{options_.copy_stream->get()};
    require_not_capturing(driver_, *fault_, *options_.copy_stream, at("ReadbackRing"));
  } else {
    check(CopyStream::create(driver_, options_.stream_priority, stream_), "stream_create", at("ReadbackRing"));
  }
  check(completion_.open(stream_.get(), options_.copy_stream.has_value()), "event_create", at("ReadbackRing"));
  // A stream of another device is refused by this call.
  check(driver_.event_record(completion_.edge(), stream_.get()), "event_record", at("ReadbackRing"));
  memory_.open(driver_, options_.slots, options_.capacity, options_.pinned_source, options_.name);
}

// ---- end

// A ring whose memory a copy may still write is kept.
std::size_t RingCore::end(std::unique_ptr<RingCore> core, std::optional<std::chrono::nanoseconds> bound) noexcept {
  const std::size_t bytes = core->pinned_bytes();
  if (!core->process_.usable()) {
    Kept<RingCore>::add(std::move(core));
    return bytes;
  }
  const std::chrono::nanoseconds patience = bound.value_or(core->options_.close_bound);
  const Clock::time_point deadline = deadline_after(patience);
  CloseReport report;
  try {
    report = core->close(patience);
  } catch (...) {
    report = core->report();  // see below
  }
  // Those who were blocked inside are on their way out.
  while (core->inside_.load(std::memory_order_acquire) != 0 && Clock::now() < deadline) {
    const std::uint64_t epoch = core->wakeup_.epoch();
    core->wakeup_.wait_for(epoch, std::chrono::milliseconds{1});
  }
  if (!core->process_.usable()) {  // process exit began meanwhile
    Kept<RingCore>::add(std::move(core));
    return bytes;
  }
  const bool kept = !report.drained || core->inside_.load(std::memory_order_acquire) != 0;
  if (kept || report.uncollected != 0 || report.failed != 0) core->tell_end(report, kept);
  if (kept) {
    Kept<RingCore>::add(std::move(core));
    return bytes;
  }
  core->making_.emplace(core->driver_);
  const Status freed = core->memory_.close();
  if (freed.lost()) core->fault_->set(freed, "pinned_free");  // others that share the fault have not met it yet
  core.reset();
  return freed.ok() ? 0 : bytes;
}

CloseReport RingCore::close(std::chrono::nanoseconds bound) {
  Call call{*this, "close"};
  call.stay();
  const Clock::time_point deadline = deadline_after(bound);
  closed_.store(true, std::memory_order_release);
  wakeup_.notify();
  // A submission that was under way when the flag was set ends before the first look.
  {
    const std::lock_guard lock{submit_mutex_};
  }
  for (unsigned round = 0;; ++round) {
    const std::uint64_t epoch = wakeup_.epoch();
    process_.check("close");
    poll_and_wake(Poll::always);
    if (!waits_for_copies() || Clock::now() >= deadline) return report();
    pause(round, epoch, deadline);
  }
}

bool RingCore::waits_for_copies() const noexcept {
  if (fault_->lost()) return false;  // nothing will be proven any more
  return std::ranges::any_of(slots_, [](const Slot& slot) {
    const Phase phase = slot.view().phase;
    return phase == Phase::pending || phase == Phase::discarded || phase == Phase::quarantined ||
           phase == Phase::error_open;
  });
}

CloseReport RingCore::report() const noexcept {
  CloseReport found;
  for (const Slot& slot : slots_) {
    switch (slot.view().phase) {
      case Phase::free: break;
      case Phase::ready:
      case Phase::reading: ++found.uncollected; break;
      case Phase::error_over: ++found.failed; break;
      case Phase::error_open: ++found.failed; [[fallthrough]];
      case Phase::unarmed:
      case Phase::pending:
      case Phase::discarded:
      case Phase::quarantined: ++found.in_flight; break;
    }
  }
  found.drained = found.in_flight == 0;
  return found;
}

bool RingCore::idle() const noexcept {
  return inside_.load(std::memory_order_acquire) == 0 &&
         std::ranges::all_of(slots_, [](const Slot& slot) { return slot.view().phase == Phase::free; });
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
