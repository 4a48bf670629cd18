// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/transfer.hpp"

#include <tailrace/error.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

/// With the driving thread, enough to keep up with a PCIe 5 link if the destination's pages are there.
constexpr unsigned few_helpers = 3;

ErrorDetails at_read() { return {.operation = "read"}; }
ErrorDetails at_guard() { return {.operation = "guard_source"}; }

/// The same failure; one of ours also says how many leading bytes are good.
std::exception_ptr with_good_bytes(const std::exception_ptr& failure, std::size_t good) noexcept {
  try {
    try {
      std::rethrow_exception(failure);
    } catch (const Error& error) {
      return std::make_exception_ptr(error.with_good_bytes(good));
    }
  } catch (...) {
    return failure;  // not ours, or there is no memory for a longer text
  }
}

}  // namespace

Transfer::Transfer(const TransferContext& context, std::span<std::byte> destination, const Source& source,
                   StreamRef producer, SnapshotPool* snapshots)
    : context_{context},
      destination_{destination.first(source.bytes)},
      source_{source},
      direct_{context.driver.pinned_as_a_whole(destination.data(), source.bytes)},
      of_snapshot_{snapshots != nullptr},
      plan_{destination.data(), source.bytes, context.chunk_bytes},
      helpers_{std::min(few_helpers, context.arena.concurrency())} {
  for (std::optional<PooledEvent>* const event : {&start_, &end_}) {
    context_.fault.check(event->emplace(context_.events).status(), "event_create", at_read());
  }
  require_not_capturing(context_.driver, context_.fault, producer, at_read());
  require_device_memory(context_.driver, context_.fault, source_, at_read());
  place_.emplace(context_.lanes);
  // Also what refuses a producer of another device.
  context_.fault.check(context_.driver.event_record(start_->get(), producer.get()), "event_record", at_read());
  if (snapshots != nullptr) take_snapshot(*snapshots, producer);
}

Transfer::~Transfer() {
  if (stage_ != Stage::finished) static_cast<void>(snapshot_.release());  // its copy may be under way
}

void Transfer::take_snapshot(SnapshotPool& snapshots, StreamRef producer) {
  snapshot_ = snapshots.take(source_.bytes);
  context_.fault.check(context_.driver.copy_on_device(snapshot_.get(), source_.region, producer.get()), "device_copy",
                       at_read());
  source_.region = {.data = snapshot_.get(), .width = source_.bytes};
  const Status recorded = context_.driver.event_record(start_->get(), producer.get());
  if (!recorded.ok()) static_cast<void>(snapshot_.release());  // nothing will tell when its copy is over
  context_.fault.check(recorded, "event_record", at_read());
  reading_ = Reading::enqueued;
}

bool Transfer::advance() noexcept {
  try {
    switch (stage_) {
      case Stage::waiting: return start();
      case Stage::running: return direct_ ? run_direct() : run();
      case Stage::draining: return drain();
      case Stage::finished: break;
    }
    return false;
  } catch (...) {
    fail(std::current_exception());
    return true;
  }
}

// ---- waiting

void Transfer::begin() noexcept {
  try {
    if (take_lane()) enqueue_first();
  } catch (...) {
    fail(std::current_exception());
  }
}

bool Transfer::take_lane() {
  lane_ = place_->try_take();
  if (lane_ != nullptr) stage_ = Stage::running;
  return lane_ != nullptr;
}

bool Transfer::start() {
  if (!take_lane()) return false;
  const DeviceScope scope{context_.driver};
  context_.fault.check(scope.status(), "current_device", at_read());
  enqueue_first();
  return true;
}

/// The driver's device is current.
void Transfer::enqueue_first() {
  context_.fault.check(context_.driver.stream_wait(lane_->stream(), start_->get()), "stream_wait", at_read());
  if (!direct_) {
    static_cast<void>(lane_->ring());  // made here if need be: without it nothing can be enqueued
    submit_chunks();
    return;
  }
  context_.fault.check(context_.driver.copy_to_host(destination_.data(), source_.region, lane_->stream()), "copy",
                       at_read());
  submitted_ = source_.bytes;
  static_cast<void>(record_end());  // if that fails it is tried again
}

/// Records the end of a direct read, unless that was done already.
Status Transfer::record_end() noexcept {
  if (end_recorded_) return {};
  const DeviceScope scope{context_.driver};
  Status status = scope.status();
  if (status.ok()) status = context_.driver.event_record(end_->get(), lane_->stream());
  if (!status.ok()) return status;
  end_recorded_ = true;
  source_enqueued();
  return {};
}

void Transfer::source_enqueued() noexcept {
  {
    const std::lock_guard lock{guard_mutex_};
    reading_ = Reading::enqueued;
  }
  context_.wakeup->notify();
}

// ---- running

bool Transfer::run_direct() {
  context_.fault.check(record_end(), "event_record", at_read());
  const CaptureScope scope{context_.driver};
  const Status status = context_.driver.event_query(end_->get());
  if (status.pending()) return false;
  context_.fault.check(status, "event_query", at_read());
  // The caller's memory may be such that only a synchronisation is promised to bring it up to date. Nothing is left on
  // the stream to wait for.
  if (!backend::registers_coherently) {
    context_.fault.check(context_.driver.stream_synchronize(lane_->stream()), "stream_synchronize", at_read());
  }
  good_ = source_.bytes;
  finish(/* over */ true);
  return true;
}

bool Transfer::run() {
  bool did = claim_chunks();
  did |= retire_chunks();
  did |= submit_more();
  if (good_ == source_.bytes) finish(/* over */ true);
  if (refusal_ != nullptr && chunks_.empty()) fail(refusal_);
  return did;
}

bool Transfer::retire_chunks() noexcept {
  bool did = false;
  for (Chunk& chunk : chunks_) {
    if (!chunk.claim || chunk.group.left.load(std::memory_order_acquire) != 0) continue;
    chunk.claim.reset();
    chunk.done = true;
    did = true;
  }
  for (; !chunks_.empty() && chunks_.front().done; chunks_.pop_front()) good_ += chunks_.front().ticket.size();
  return did;
}

bool Transfer::claim_chunks() {
  bool did = false;
  for (Chunk& chunk : chunks_) {
    if (chunk.claim || chunk.done) continue;
    SlotClaim claim = lane_->ring().try_claim(chunk.ticket, 1);
    if (!claim) break;  // copies of one ring are in order
    chunk.claim.emplace(std::move(claim));
    copy_out(chunk);
    did = true;
  }
  return did;
}

void Transfer::copy_out(Chunk& chunk) {
  const std::span<const std::byte> from = chunk.claim->bytes();
  std::byte* const to = destination_.data() + chunk.begin;
  if (PieceList::worth_cutting(from.size())) {
    const HostCopy large = plan_.cacheable() ? HostCopy::cached : HostCopy::streaming;
    return share_out(chunk, looks_resident(to, from.size()) ? large : HostCopy::fresh);
  }
  host_copy(HostCopy::cached, to, from.data(), from.size());
  chunk.claim.reset();
  chunk.done = true;
}

void Transfer::share_out(Chunk& chunk, HostCopy how) {
  const PieceList list{destination_.data() + chunk.begin, chunk.claim->bytes(), how, chunk.group};
  const auto held = std::ranges::count_if(chunks_, [](const Chunk& other) { return other.claim.has_value(); });
  // Copying falls behind if it leaves the DMA no slot. Page faults always take longer than the DMA.
  const bool behind = static_cast<std::size_t>(held) == lane_->ring().slots();
  if (behind && helpers_ < context_.arena.concurrency()) ++helpers_;
  chunk.group.wakeup = context_.wakeup;
  chunk.group.left.store(list.pieces().size(), std::memory_order_relaxed);
  try {
    context_.arena.enqueue_pieces(list.pieces(), how == HostCopy::fresh ? context_.arena.concurrency() : helpers_);
  } catch (...) {
    chunk.group.left.store(0, std::memory_order_relaxed);  // none was queued
    chunk.claim.reset();
    throw;
  }
}

bool Transfer::submit_more() noexcept {
  if (refusal_ != nullptr || submitted_ == source_.bytes || chunks_.size() == lane_->ring().slots()) return false;
  const DeviceScope scope{context_.driver};
  if (scope.status().ok()) return submit_chunks();
  try {
    context_.fault.check(scope.status(), "current_device", at_read());
  } catch (...) {
    refusal_ = std::current_exception();
  }
  return false;
}

/// The driver's device is current. The ring is this transfer's alone: if all chunks are there, the next slot is not
/// free.
bool Transfer::submit_chunks() noexcept {
  bool did = false;
  try {
    while (submitted_ != source_.bytes) {
      if (chunks_.size() == lane_->ring().slots()) return did;
      submit_next();
      did = true;
    }
  } catch (...) {
    refusal_ = std::current_exception();
    return did;
  }
  if (did) source_enqueued();
  return did;
}

void Transfer::submit_next() {
  const Source next = part(source_, submitted_, plan_.next());
  Chunk& chunk = chunks_.emplace_back();  // first, so that an accepted copy has its place
  chunk.begin = submitted_;
  try {
    // In the order of the copy stream: that after the producer is there since the start, and what the producer has
    // enqueued since then must not be waited for.
    chunk.ticket = lane_->ring().submit_checked(next);
  } catch (...) {
    chunks_.pop_back();
    throw;
  }
  plan_.took(next.bytes);
  submitted_ += next.bytes;
}

// ---- ending

void Transfer::abandon() noexcept {
  if (stage_ != Stage::waiting && stage_ != Stage::running) return;
  try {
    fail(std::make_exception_ptr(Error{
        Errc::closed, "the runtime was closed during the read",
        "let reads finish before close(); pinned memory may be written until the device is synchronised", at_read()}));
  } catch (...) {
    fail(std::current_exception());
  }
  drain_deadline_ = Clock::now();
}

void Transfer::fail(std::exception_ptr reason) noexcept {
  if (!failure_) failure_ = std::move(reason);
  if (stage_ == Stage::finished) return;
  stage_ = Stage::draining;
  drain_deadline_ = deadline_after(context_.drain_bound);
}

bool Transfer::drain() noexcept {
  bool did = retire_chunks();
  did |= give_up_chunks();
  // Pieces that workers are copying are let finish: they read slots and write the destination.
  if (std::ranges::any_of(chunks_, [](const Chunk& chunk) { return chunk.claim.has_value(); })) return did;
  const bool over = proven_over();
  if (!over && !context_.fault.lost() && Clock::now() < drain_deadline_) return did;
  finish(over);
  return true;
}

bool Transfer::copying() const noexcept {
  return std::ranges::any_of(
      chunks_, [](const Chunk& chunk) { return chunk.claim && chunk.group.left.load(std::memory_order_acquire) != 0; });
}

bool Transfer::give_up_chunks() noexcept {
  if (std::exchange(given_up_, true)) return false;
  for (const Chunk& chunk : chunks_) {
    if (chunk.claim || chunk.done) continue;
    try {
      lane_->ring().discard(chunk.ticket);
    } catch (...) {  // NOLINT(bugprone-empty-catch): the ticket that failed is used up already
    }
  }
  return true;
}

/// Nothing on the device reads the source or writes the destination or the snapshot any more.
bool Transfer::proven_over() noexcept {
  if (!direct_ && lane_ != nullptr && !lane_->idle()) return false;
  const bool writes_destination = direct_ && submitted_ != 0;
  if (!writes_destination && !snapshot_) return true;
  Status status = writes_destination ? record_end() : Status{};
  if (status.ok()) {
    const CaptureScope scope{context_.driver};
    status = context_.driver.event_query(writes_destination ? end_->get() : start_->get());
  }
  // Then nothing will be proven any more, and there is nothing to wait for.
  if (status.lost()) context_.fault.set(status, "event_query");
  return status.ok();
}

/// @param over  nothing on the device reads the source or writes what is ours or the caller's any more
void Transfer::finish(bool over) noexcept {
  if (failure_) failure_ = with_good_bytes(failure_, good_);
  left_a_copy_ = !over && (snapshot_ || (direct_ && submitted_ != 0));
  if (!over) static_cast<void>(snapshot_.release());
  chunks_.clear();
  {
    const std::lock_guard lock{guard_mutex_};
    reading_ = over ? Reading::over : Reading::unknown;
    start_.reset();
    end_.reset();
  }
  lane_ = nullptr;
  place_.reset();
  snapshot_.reset();
  stage_ = Stage::finished;
  context_.wakeup->notify();
}

bool Transfer::try_guard_source(StreamRef stream) {
  const std::lock_guard lock{guard_mutex_};
  if (reading_ == Reading::over) return true;
  if (reading_ == Reading::not_enqueued) return false;
  if (reading_ == Reading::unknown) {
    throw Error{Errc::copy_failed, "the read failed, and whether its source is still being read is not known",
                "wait for the tag for the cause, and synchronise the device before the source is reused", at_guard()};
  }
  const DeviceScope scope{context_.driver};
  context_.fault.check(scope.status(), "current_device", at_guard());
  require_not_capturing(context_.driver, context_.fault, stream, at_guard());
  if (!of_snapshot_) {
    context_.fault.check(context_.driver.event_record(end_->get(), lane_->stream()), "event_record", at_guard());
  }
  const native_event read = of_snapshot_ ? start_->get() : end_->get();
  context_.fault.check(context_.driver.stream_wait(stream.get(), read), "stream_wait", at_guard());
  return true;
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
