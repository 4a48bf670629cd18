// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/chunk_lanes.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

ChunkLane::ChunkLane(const Driver& driver, std::shared_ptr<DeviceFault> fault, RingOptions options)
    : driver_{driver}, fault_{std::move(fault)}, options_{std::move(options)} {
  const DeviceScope scope{driver_};
  fault_->check(scope.status(), "current_device", {.operation = "read", .ring = options_.name});
  fault_->check(CopyStream::create(driver_, options_.stream_priority, stream_), "stream_create",
                {.operation = "read", .ring = options_.name});
  options_.copy_stream = StreamRef{stream_.get()};
}

ChunkLane::~ChunkLane() {
  // ChunkLanes::close() has waited already.
  if (ring_) static_cast<void>(RingCore::end(std::move(ring_), std::chrono::nanoseconds{0}));
}

RingCore& ChunkLane::ring() {
  if (!ring_) {
    ring_ = std::make_unique<RingCore>(Device{driver_.device()}, options_, fault_);
    ring_ptr_.store(ring_.get(), std::memory_order_release);
  }
  return *ring_;
}

bool ChunkLane::settled() const noexcept { return !ring_ || ring_->idle(); }

bool ChunkLane::idle() noexcept {
  if (settled()) return true;
  try {
    ring_->poll();
  } catch (...) {
    return false;  // process exit has begun
  }
  return settled();
}

std::size_t ChunkLane::close(Clock::time_point deadline) noexcept {
  RingCore* const ring = made();
  if (ring == nullptr) return 0;
  try {
    return ring->close(std::max(deadline - Clock::now(), std::chrono::nanoseconds{0})).in_flight;
  } catch (...) {
    return 0;  // process exit has begun
  }
}

ChunkLanes::ChunkLanes(const Driver& driver, std::shared_ptr<DeviceFault> fault, RingOptions options, unsigned limit,
                       std::shared_ptr<Wakeup> wakeup)
    : driver_{driver},
      fault_{std::move(fault)},
      options_{std::move(options)},
      limit_{limit},
      wakeup_{std::move(wakeup)} {}

ChunkLanes::Place::Place(ChunkLanes& lanes) : lanes_{lanes} {
  const std::lock_guard lock{lanes_.mutex_};
  position_ = lanes_.queue_.insert(lanes_.queue_.end(), this);
}

ChunkLanes::Place::~Place() {
  {
    const std::lock_guard lock{lanes_.mutex_};
    if (lane_ == nullptr) {
      lanes_.queue_.erase(position_);
    } else {
      lane_->taken_ = false;
    }
  }
  lanes_.wakeup_->notify();
}

ChunkLane* ChunkLanes::Place::try_take() {
  if (lane_ != nullptr) return lane_;
  {
    const std::lock_guard lock{lanes_.mutex_};
    if (lanes_.queue_.front() != this) return nullptr;
    lane_ = lanes_.find_lane();
    if (lane_ == nullptr) return nullptr;
    lane_->taken_ = true;
  }
  const bool idle = lane_->idle();  // without the lock, since looking may log
  const std::lock_guard lock{lanes_.mutex_};
  if (idle) {
    lanes_.queue_.erase(position_);
  } else {
    std::exchange(lane_, nullptr)->taken_ = false;
  }
  return lane_;
}

ChunkLane* ChunkLanes::find_lane() {
  const auto free = [](const std::unique_ptr<ChunkLane>& lane) { return !lane->taken_; };
  // A lane whose last read failed may still hold copies that were not proven over when it was given back.
  const auto ready = [&](const std::unique_ptr<ChunkLane>& lane) { return free(lane) && lane->settled(); };
  auto found = std::ranges::find_if(lanes_, ready);
  if (found == lanes_.end() && lanes_.size() < limit_) {
    RingOptions options = options_;
    options.name += "/" + std::to_string(lanes_.size());
    lanes_.push_back(std::make_unique<ChunkLane>(driver_, fault_, std::move(options)));
    return lanes_.back().get();
  }
  if (found == lanes_.end()) found = std::ranges::find_if(lanes_, free);
  if (found == lanes_.end()) return nullptr;
  std::rotate(found, found + 1, lanes_.end());  // the next look is at another one
  return lanes_.back().get();
}

std::size_t ChunkLanes::close(Clock::time_point deadline) noexcept {
  std::size_t in_flight = 0;
  for (std::size_t i = 0;; ++i) {
    ChunkLane* lane = nullptr;
    {
      const std::lock_guard lock{mutex_};
      if (i == lanes_.size()) return in_flight;
      lane = lanes_[i].get();
    }
    in_flight += lane->close(deadline);  // without the lock, since it waits, and may log
  }
}

void ChunkLanes::clear() noexcept { lanes_.clear(); }

Statistics ChunkLanes::statistics() const {
  const std::lock_guard lock{mutex_};
  Statistics sum;
  for (const std::unique_ptr<ChunkLane>& lane : lanes_) {
    if (const RingCore* const ring = lane->made()) sum += ring->statistics();
  }
  return sum;
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
