// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/chunk_lanes.hpp"

#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

ChunkLane::ChunkLane(const Driver& driver, std::shared_ptr<DeviceFault> fault, RingOptions options)
    : driver_{driver}, fault_{std::move(fault)}, options_{std::move(options)} {
  fault_->check(CopyStream::create(driver_, options_.stream_priority, stream_), "stream_create",
                {.operation = "read", .ring = options_.name});
  options_.copy_stream = StreamRef{stream_.get()};
}

ChunkLane::~ChunkLane() {
  if (ring_) static_cast<void>(RingCore::end(std::move(ring_)));
}

RingCore& ChunkLane::ring() {
  if (!ring_) {
    ring_ = std::make_unique<RingCore>(Device{driver_.device()}, options_, fault_);
    ring_ptr_.store(ring_.get(), std::memory_order_release);
  }
  return *ring_;
}

bool ChunkLane::idle() noexcept {
  if (!ring_ || ring_->idle()) return true;
  try {
    ring_->poll();
  } catch (const Error&) {
    return false;  // process exit has begun
  }
  return ring_->idle();
}

ChunkLanes::ChunkLanes(const Driver& driver, std::shared_ptr<DeviceFault> fault, RingOptions options, unsigned limit)
    : driver_{driver}, fault_{std::move(fault)}, options_{std::move(options)}, limit_{limit} {}

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
  lanes_.wakeup_.notify();
}

ChunkLane* ChunkLanes::Place::try_take() {
  if (lane_ != nullptr) return lane_;
  const std::lock_guard lock{lanes_.mutex_};
  if (lanes_.queue_.front() != this) return nullptr;
  lane_ = lanes_.take_free_lane();
  if (lane_ != nullptr) lanes_.queue_.erase(position_);
  return lane_;
}

ChunkLane* ChunkLanes::take_free_lane() {
  ChunkLane* found = nullptr;
  for (const std::unique_ptr<ChunkLane>& lane : lanes_) {
    // A lane whose last read failed may still hold copies that are not proven over.
    if (!lane->taken_ && lane->idle()) found = lane.get();
  }
  if (found == nullptr && lanes_.size() < limit_) {
    RingOptions options = options_;
    options.name += "/" + std::to_string(lanes_.size());
    lanes_.push_back(std::make_unique<ChunkLane>(driver_, fault_, std::move(options)));
    found = lanes_.back().get();
  }
  if (found != nullptr) found->taken_ = true;
  return found;
}

Statistics ChunkLanes::statistics() const {
  const std::lock_guard lock{mutex_};
  Statistics sum;
  for (const std::unique_ptr<ChunkLane>& lane : lanes_) {
    if (const RingCore* const ring = lane->made()) sum += ring->statistics();
  }
  return sum;
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
