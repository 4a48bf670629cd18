// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/array_reader.hpp"

#include <tailrace/error.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

RingOptions chunk_ring(const RuntimeOptions& options) {
  return {.name = "chunks",
          .slots = options.chunk_slots,
          .capacity = std::max<std::size_t>(options.chunk_bytes, 4096),
          .stream_priority = options.rings.stream_priority,
          .copy_stream = std::nullopt,
          .pinned_source = options.rings.pinned_source,
          .wait_mode = WaitMode::sleep,
          .close_bound = options.close_bound,
          .log = options.log};
}

[[noreturn]] void refuse_closed(const char* operation) {
  throw Error{Errc::closed, "the runtime is closed", "read before close()", {.operation = operation}};
}

}  // namespace

// Counts a call for close(), for its whole length.
class ArrayReader::Inside {
 public:
  Inside(ArrayReader& reader, const char* operation) : reader_{reader} {
    reader.process_.check(operation);
    reader.inside_.fetch_add(1, std::memory_order_acq_rel);
  }
  ~Inside() {
    reader_.tell_pending_messages();
    const std::shared_ptr<Wakeup> wakeup = reader_.wakeup_;  // the reader may be gone once it counts 0
    reader_.inside_.fetch_sub(1, std::memory_order_acq_rel);
    wakeup->notify();
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  ArrayReader& reader_;
};

ArrayReader::ArrayReader(Device device, const RuntimeOptions& options, std::shared_ptr<TagTable> tags,
                         std::shared_ptr<DeviceFault> fault)
    : tags_{std::move(tags)},
      fault_{std::move(fault)},
      logger_{options.log},
      wakeup_{std::make_shared<Wakeup>()},
      driver_{device.ordinal(), counters_},
      events_{driver_},
      snapshots_{driver_, *fault_, options.snapshot_limit},
      lanes_{driver_, fault_, chunk_ring(options), std::clamp(options.transfers, 1U, 16U), wakeup_},
      context_{.driver = driver_,
               .fault = *fault_,
               .arena = *tags_->arena(),
               .lanes = lanes_,
               .events = events_,
               .wakeup = wakeup_,
               .chunk_bytes = std::max<std::size_t>(options.chunk_bytes, 4096),
               .drain_bound = options.close_bound} {}

ArrayReader::~ArrayReader() {
  if (!used_.load(std::memory_order_relaxed)) return;
  const DeviceScope scope{driver_};
  lanes_.clear();
  snapshots_.clear();
  events_.clear();
  if (!fault_->lost()) tell_kept();
}

// ---- starting

void ArrayReader::read(std::span<std::byte> destination, const DeviceView& view, StreamRef producer,
                       ReadOptions options) {
  const Inside inside{*this, "read"};
  check_open("read");
  const Source source = check_arguments(destination, view, "read");
  if (source.bytes == 0) return;
  const std::shared_ptr<Transfer> transfer = start(destination, source, producer, options, DrivenBy::caller);
  drive(*transfer);
  count(*transfer);
  if (transfer->outcome()) std::rethrow_exception(transfer->outcome());
}

void ArrayReader::async_read(std::string_view tag, std::span<std::byte> destination, const DeviceView& view,
                             StreamRef producer, ReadOptions options) {
  const Inside inside{*this, "async_read"};
  check_open("async_read");
  const Source source = check_arguments(destination, view, "async_read");
  const std::shared_ptr<Tag> opened = tags_->open(tag, [arena = tags_->arena()] { return arena->run_one_piece(); });
  try {
    if (source.bytes == 0) return tags_->finish(opened, nullptr);
    Active active{.tag = opened, .transfer = start(destination, source, producer, options, DrivenBy::progress_thread)};
    tags_->attach(opened, active.transfer);
    hand_over(std::move(active));
  } catch (...) {
    tags_->cancel(opened, std::current_exception());
    throw;
  }
}

void ArrayReader::hand_over(Active active) {
  std::list<Active> one;
  one.push_back(std::move(active));
  {
    const std::lock_guard lock{mutex_};
    process_.check("async_read");  // the progress thread may have left
    if (stop_) refuse_closed("async_read");
    if (!progress_.joinable()) {
      progress_ = std::thread{[this, inside = std::make_unique<Inside>(*this, "async_read")] { progress(); }};
    }
    started_.splice(started_.end(), one);
  }
  wakeup_->notify();
}

void ArrayReader::check_open(const char* operation) const {
  if (closed_.load(std::memory_order_acquire)) refuse_closed(operation);
  if (fault_->lost()) throw fault_->error({.operation = operation});
}

Source ArrayReader::check_arguments(std::span<std::byte> destination, const DeviceView& view,
                                    const char* operation) const {
  const Source source = checked(view, operation);
  if (destination.size() >= source.bytes) return source;
  throw Error{Errc::buffer_too_small,
              "the destination has " + std::to_string(destination.size()) + " bytes, the source " +
                  std::to_string(source.bytes),
              "pass at least DeviceView::bytes() bytes",
              {.operation = operation}};
}

std::shared_ptr<Transfer> ArrayReader::start(std::span<std::byte> destination, const Source& source, StreamRef producer,
                                             ReadOptions options, DrivenBy driven_by) {
  if (!used_.exchange(true, std::memory_order_relaxed)) ProcessGuard::watch_exit();
  const DeviceScope scope{driver_};
  fault_->check(scope.status(), "current_device", {.operation = "read"});
  auto transfer =
      std::make_shared<Transfer>(context_, destination, source, producer, options.snapshot ? &snapshots_ : nullptr);
  if (options.snapshot) counters_.count(counts_.snapshots);
  if (driven_by == DrivenBy::caller) transfer->begin();
  return transfer;
}

void ArrayReader::guard_source(std::string_view tag, StreamRef stream) {
  const Inside inside{*this, "guard_source"};
  const auto transfer = std::static_pointer_cast<Transfer>(tags_->attachment(tag));
  if (!transfer) return;  // a job, or a read of nothing
  for (unsigned idle = 0;; ++idle) {
    process_.check("guard_source");
    const std::uint64_t epoch = wakeup_->epoch();
    if (transfer->try_guard_source(stream)) return;
    if (!context_.arena.run_one_piece()) nap(idle, epoch);
  }
}

// ---- driving

void ArrayReader::drive(Transfer& transfer) {
  for (unsigned idle = 0; !transfer.finished();) {
    const std::uint64_t epoch = wakeup_->epoch();
    const bool usable = process_.usable();
    // Once process exit has begun nothing but the pieces goes on: workers write the caller's memory.
    if (!usable && !transfer.copying()) process_.check("read");
    if ((usable && advance(transfer)) || context_.arena.run_one_piece()) {
      idle = 0;
    } else {
      nap(idle++, epoch);
    }
  }
}

bool ArrayReader::advance(Transfer& transfer) noexcept {
  if (past_deadline()) transfer.abandon();
  return transfer.advance();
}

void ArrayReader::progress() noexcept {
  // For good, since the thread is the reader's own: no later scope has to switch.
  if (const DriverWork work; work.allowed()) static_cast<void>(driver_.set_device(driver_.device()));
  std::list<Active> active;
  for (unsigned idle = 0; process_.usable();) {
    const std::uint64_t epoch = wakeup_->epoch();
    if (!take_started(active) && active.empty()) return;
    if (active.empty()) {
      wakeup_->wait_for(epoch, std::chrono::hours{1});
      idle = 0;
    } else if (advance_all(active) || context_.arena.run_one_piece()) {
      idle = 0;
    } else {
      nap(idle++, epoch);
    }
  }
  static_cast<void>(take_started(active));
  leave(active);
}

/// @returns false if there will be no more
bool ArrayReader::take_started(std::list<Active>& active) noexcept {
  const std::lock_guard lock{mutex_};
  active.splice(active.end(), started_);
  return !stop_;
}

bool ArrayReader::advance_all(std::list<Active>& active) noexcept {
  bool did = false;
  for (auto at = active.begin(); at != active.end();) {
    {
      const DriverWork work;
      if (!work.allowed()) return did;
      did |= advance(*at->transfer);
    }
    if (!at->transfer->finished()) {
      ++at;
      continue;
    }
    finish(*at);
    at = active.erase(at);
  }
  return did;
}

void ArrayReader::finish(const Active& done) noexcept {
  count(*done.transfer);
  tell_pending_messages();
  tags_->finish(done.tag, done.transfer->outcome());
}

std::exception_ptr ArrayReader::refused() const noexcept {
  try {
    return std::make_exception_ptr(process_.refusal("async_read"));
  } catch (...) {
    return std::current_exception();  // no memory for it
  }
}

/// Process exit has begun: whoever waits is told so, without a driver call, once no worker writes to his memory.
void ArrayReader::leave(const std::list<Active>& active) noexcept {
  for (const Active& left : active) {
    for (unsigned idle = 0; left.transfer->copying(); ++idle) {
      const std::uint64_t epoch = wakeup_->epoch();
      if (!context_.arena.run_one_piece()) nap(idle, epoch);
    }
    tags_->finish(left.tag, refused());
  }
}

void ArrayReader::nap(unsigned idle_rounds, std::uint64_t epoch) noexcept {
  // What the GPU does can only be found by looking; pieces and lanes that are done wake the sleeper.
  constexpr unsigned looks = 64;  // some tens of microseconds, the time of a small read
  constexpr unsigned spins = 128;
  constexpr std::chrono::microseconds shortest{10};
  constexpr std::chrono::microseconds longest{500};
  if (idle_rounds < looks) return;
  if (idle_rounds < spins) {
    std::this_thread::yield();
  } else {
    wakeup_->wait_for(epoch, std::min(shortest * (idle_rounds - spins + 1), longest));
  }
}

void ArrayReader::count(const Transfer& transfer) noexcept {
  if (transfer.left_a_copy()) left_copies_.fetch_add(1, std::memory_order_relaxed);
  if (transfer.outcome()) return counters_.count(counts_.errors);
  counters_.count(counts_.reads);
  counters_.count(counts_.bytes, transfer.bytes());
  if (transfer.direct()) counters_.count(counts_.direct);
}

void ArrayReader::tell_pending_messages() noexcept {
  if (fault_->lost()) fault_->report(logger_, "reads");
  if (counters_.wrapped.load(std::memory_order_relaxed) && !wrap_told_.exchange(true)) {
    logger_.warn("a statistics counter of large reads passed its maximum and restarted at zero");
  }
}

void ArrayReader::tell_kept() const noexcept {
  const std::size_t bytes = snapshots_.held();
  if (bytes == 0) return;
  try {
    logger_.warn(std::to_string(bytes) +
                 " bytes of device memory for snapshots are kept, because the driver did not free them or nothing has "
                 "proven that they are no longer written. Fix: let reads finish before the runtime ends");
  } catch (...) {
    logger_.warn("device memory for snapshots is kept. Fix: let reads finish before the runtime ends");
  }
}

// ---- ending

bool ArrayReader::past_deadline() const noexcept {
  return closed_.load(std::memory_order_acquire) && Clock::now() >= deadline_.load(std::memory_order_relaxed);
}

ArrayReader::Closed ArrayReader::close(Clock::time_point deadline) noexcept {
  {
    const std::lock_guard lock{mutex_};
    stop_ = true;
    deadline_.store(std::min(deadline, deadline_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
    closed_.store(true, std::memory_order_release);
  }
  wakeup_->notify();
  // At the deadline everybody inside gives up by himself, unless he is in a call that blocks.
  constexpr std::chrono::seconds grace{1};
  const Clock::time_point patience = std::max(deadline, deadline_after(grace));
  for (;;) {
    const std::uint64_t epoch = wakeup_->epoch();
    if (inside_.load(std::memory_order_acquire) == 0) break;
    const Clock::time_point now = Clock::now();
    if (now >= patience) return {.in_flight = left_copies_.load(std::memory_order_relaxed)};
    wakeup_->wait_for(epoch, patience - now);
  }
  const std::size_t in_chunks = lanes_.close(deadline);
  const std::lock_guard lock{mutex_};
  if (progress_.joinable()) progress_.join();
  return {.nobody_inside = true, .in_flight = left_copies_.load(std::memory_order_relaxed) + in_chunks};
}

void ArrayReader::add_to(RuntimeStatistics& sum) const {
  sum.chunks = lanes_.statistics();
  sum.chunks.calls += counters_.snapshot().calls;
  sum.reads = counts_.reads.get();
  sum.read_errors = counts_.errors.get();
  sum.read_bytes = counts_.bytes.get();
  sum.direct_reads = counts_.direct.get();
  sum.snapshots = counts_.snapshots.get();
  sum.snapshot_bytes = snapshots_.held();
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
