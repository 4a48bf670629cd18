// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/array_reader.hpp"

#include <tailrace/error.hpp>

#include <algorithm>
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

}  // namespace

// Counts a call for close(), for its whole length.
class ArrayReader::Inside {
 public:
  Inside(ArrayReader& reader, const char* operation) : reader_{reader} {
    reader.process_.check(operation);
    reader.inside_.fetch_add(1, std::memory_order_acq_rel);
  }
  ~Inside() {
    if (reader_.fault_->lost()) reader_.fault_->report(reader_.logger_, "reads");
    reader_.inside_.fetch_sub(1, std::memory_order_acq_rel);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  ArrayReader& reader_;
};

ArrayReader::ArrayReader(Device device, const RuntimeOptions& options, std::shared_ptr<TagTable> tags,
                         std::shared_ptr<DeviceFault> fault)
    : device_{device},
      tags_{std::move(tags)},
      fault_{std::move(fault)},
      logger_{options.log},
      driver_{device.ordinal(), counters_},
      events_{driver_},
      snapshots_{driver_, *fault_, options.snapshot_limit},
      lanes_{driver_, fault_, chunk_ring(options), std::clamp(options.transfers, 1U, 16U)},
      context_{.driver = driver_,
               .fault = *fault_,
               .arena = *tags_->arena(),
               .lanes = lanes_,
               .events = events_,
               .wakeup = lanes_.wakeup(),
               .chunk_bytes = std::max<std::size_t>(options.chunk_bytes, 4096),
               .drain_bound = options.close_bound} {}

// ---- starting

void ArrayReader::read(std::span<std::byte> destination, const DeviceView& view, StreamRef producer,
                       ReadOptions options) {
  const Inside inside{*this, "read"};
  check_open("read");
  const Source source = check_arguments(destination, view, "read");
  if (source.bytes == 0) return;
  const std::shared_ptr<Transfer> transfer = start(destination, source, producer, options);
  drive(*transfer);
  count(*transfer);
  if (transfer->outcome()) std::rethrow_exception(transfer->outcome());
}

void ArrayReader::async_read(std::string_view tag, std::span<std::byte> destination, const DeviceView& view,
                             StreamRef producer, ReadOptions options) {
  const Inside inside{*this, "async_read"};
  check_open("async_read");
  const Source source = check_arguments(destination, view, "async_read");
  const std::shared_ptr<Tag> opened = tags_->open(tag, [this] { return context_.arena.run_one_piece(); });
  try {
    if (source.bytes == 0) return tags_->finish(opened, nullptr);
    std::shared_ptr<Transfer> transfer = start(destination, source, producer, options);
    tags_->attach(opened, transfer);
    const std::lock_guard lock{mutex_};
    if (!progress_.joinable()) progress_ = std::thread{[this] { progress(); }};
    started_.push_back({.tag = opened, .transfer = std::move(transfer)});
  } catch (...) {
    // The tag was never in flight for its user.
    tags_->finish(opened, nullptr);
    tags_->wait(tag);
    throw;
  }
  context_.wakeup.notify();
}

void ArrayReader::check_open(const char* operation) const {
  if (closed_.load(std::memory_order_acquire)) {
    throw Error{Errc::closed, "the runtime is closed", "read before close()", {.operation = operation}};
  }
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
                                             ReadOptions options) {
  ProcessGuard::watch_exit();
  const DeviceScope scope{driver_};
  fault_->check(scope.status(), "current_device", {.operation = "read"});
  auto transfer =
      std::make_shared<Transfer>(context_, destination, source, producer, options.snapshot ? &snapshots_ : nullptr);
  if (options.snapshot) static_cast<void>(counts_.snapshots.add());
  return transfer;
}

void ArrayReader::guard_source(std::string_view tag, StreamRef stream) {
  const Inside inside{*this, "guard_source"};
  const auto transfer = std::static_pointer_cast<Transfer>(tags_->attachment(tag));
  if (!transfer || transfer->snapshot()) return;
  require_not_capturing(driver_, *fault_, stream, {.operation = "guard_source"});
  for (unsigned idle = 0;; ++idle) {
    const std::uint64_t epoch = context_.wakeup.epoch();
    if (transfer->try_guard_source(stream)) return;
    if (!context_.arena.run_one_piece()) nap(idle, epoch);
  }
}

// ---- driving

void ArrayReader::drive(Transfer& transfer) noexcept {
  unsigned idle = 0;
  while (!transfer.finished()) {
    const std::uint64_t epoch = context_.wakeup.epoch();
    const bool did = transfer.advance() || context_.arena.run_one_piece();
    if (past_deadline()) {
      transfer.abandon(std::make_exception_ptr(Error{Errc::closed,
                                                     "the runtime was closed during the read",
                                                     "let reads finish before close()",
                                                     {.operation = "read"}}));
    }
    if (did) {
      idle = 0;
    } else {
      nap(idle++, epoch);
    }
  }
}

void ArrayReader::progress() noexcept {
  std::list<Active> active;
  unsigned idle = 0;
  while (!ProcessGuard::exiting()) {
    const std::uint64_t epoch = context_.wakeup.epoch();
    {
      const std::lock_guard lock{mutex_};
      active.splice(active.end(), started_);
      if (stop_ && active.empty()) return;
    }
    if (active.empty()) {
      context_.wakeup.wait_for(epoch, std::chrono::hours{1});
    } else if (advance_all(active) || context_.arena.run_one_piece()) {
      idle = 0;
    } else {
      nap(idle++, epoch);
    }
  }
}

bool ArrayReader::advance_all(std::list<Active>& active) noexcept {
  bool did = false;
  for (auto at = active.begin(); at != active.end();) {
    Transfer& transfer = *at->transfer;
    did |= transfer.advance();
    if (past_deadline()) {
      transfer.abandon(std::make_exception_ptr(Error{Errc::closed,
                                                     "the runtime was closed during the read",
                                                     "wait for tags before close()",
                                                     {.operation = "async_read"}}));
    }
    if (!transfer.finished()) {
      ++at;
      continue;
    }
    count(transfer);
    if (fault_->lost()) fault_->report(logger_, "reads");
    const Active done = std::move(*at);
    at = active.erase(at);
    tags_->finish(done.tag, done.transfer->outcome());
  }
  return did;
}

void ArrayReader::nap(unsigned idle_rounds, std::uint64_t epoch) noexcept {
  // What the GPU does can only be found by looking; pieces and lanes that are done wake the sleeper.
  constexpr unsigned spins = 64;
  if (idle_rounds < spins) {
    std::this_thread::yield();
    return;
  }
  context_.wakeup.wait_for(
      epoch, std::min(std::chrono::microseconds{10} * (idle_rounds - spins + 1), std::chrono::microseconds{200}));
}

void ArrayReader::count(const Transfer& transfer) noexcept {
  if (transfer.outcome()) {
    static_cast<void>(counts_.errors.add());
    return;
  }
  static_cast<void>(counts_.reads.add());
  static_cast<void>(counts_.bytes.add(transfer.bytes()));
  if (transfer.direct()) static_cast<void>(counts_.direct.add());
}

// ---- ending

bool ArrayReader::past_deadline() const noexcept {
  return closed_.load(std::memory_order_acquire) && Clock::now() >= deadline_.load(std::memory_order_relaxed);
}

bool ArrayReader::close(Clock::time_point deadline) noexcept {
  deadline_.store(deadline, std::memory_order_relaxed);
  closed_.store(true, std::memory_order_release);
  {
    const std::lock_guard lock{mutex_};
    stop_ = true;
  }
  context_.wakeup.notify();
  if (progress_.joinable()) progress_.join();
  // Those who were blocked inside see the deadline themselves, and then drain.
  const Clock::time_point patience = deadline_after(context_.drain_bound);
  while (inside_.load(std::memory_order_acquire) != 0 && Clock::now() < std::max(deadline, patience)) {
    const std::uint64_t epoch = context_.wakeup.epoch();
    context_.wakeup.wait_for(epoch, std::chrono::milliseconds{1});
  }
  return inside_.load(std::memory_order_acquire) == 0;
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
