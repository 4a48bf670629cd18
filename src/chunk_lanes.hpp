// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "src/device_fault.hpp"
#include "src/resources.hpp"
#include "src/ring_core.hpp"

#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace tailrace::inline TAILRACE_ABI::detail {

/// What one large read needs while it runs: a copy stream, and a ring of chunks on it. The ring is made when first
/// needed, since reads into pinned memory need none.
class ChunkLane {
 public:
  ChunkLane(const Driver& driver, std::shared_ptr<DeviceFault> fault, RingOptions options);
  ~ChunkLane();
  ChunkLane(const ChunkLane&) = delete;
  ChunkLane& operator=(const ChunkLane&) = delete;

  [[nodiscard]] native_stream stream() const noexcept { return stream_.get(); }
  RingCore& ring();
  /// The ring if it was made, else null. Safe from any thread.
  [[nodiscard]] RingCore* made() const noexcept { return ring_ptr_.load(std::memory_order_acquire); }
  /// No slot of it holds anything; looks at completion.
  [[nodiscard]] bool idle() noexcept;

 private:
  friend class ChunkLanes;
  const Driver& driver_;
  const std::shared_ptr<DeviceFault> fault_;
  RingOptions options_;
  CopyStream stream_;
  std::unique_ptr<RingCore> ring_;
  std::atomic<RingCore*> ring_ptr_{nullptr};
  bool taken_ = false;  // of ChunkLanes
};

/// The lanes of large reads: made on demand up to a limit, given first come first served. Safe from any thread.
class ChunkLanes {
 public:
  ChunkLanes(const Driver& driver, std::shared_ptr<DeviceFault> fault, RingOptions options, unsigned limit);

  /// A place in the queue for a lane; leaving it, by destruction, gives the lane back.
  class Place {
   public:
    explicit Place(ChunkLanes& lanes);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    /// The lane, once it is this place's turn and one is free; else null. The driver's device is current.
    /// @throws Error if a lane cannot be made
    ChunkLane* try_take();

   private:
    friend class ChunkLanes;
    ChunkLanes& lanes_;
    ChunkLane* lane_ = nullptr;
    std::list<Place*>::iterator position_;
  };

  /// Sum over the rings.
  [[nodiscard]] Statistics statistics() const;
  /// Notified whenever a lane comes back.
  [[nodiscard]] Wakeup& wakeup() noexcept { return wakeup_; }

 private:
  ChunkLane* take_free_lane();

  const Driver& driver_;
  const std::shared_ptr<DeviceFault> fault_;
  const RingOptions options_;
  const unsigned limit_;
  Wakeup wakeup_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<ChunkLane>> lanes_;
  std::list<Place*> queue_;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
