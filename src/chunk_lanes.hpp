// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "src/device_fault.hpp"
#include "src/resources.hpp"
#include "src/ring_core.hpp"

#include <atomic>
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
  /// No slot of it holds anything; idle() looks at completion first.
  [[nodiscard]] bool settled() const noexcept;
  [[nodiscard]] bool idle() noexcept;
  /// Drains what the ring may still hold, until the deadline. @returns copies not proven over
  std::size_t close(Clock::time_point deadline) noexcept;

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
  /// @param wakeup  notified whenever a lane comes back
  ChunkLanes(const Driver& driver, std::shared_ptr<DeviceFault> fault, RingOptions options, unsigned limit,
             std::shared_ptr<Wakeup> wakeup);

  /// A place in the queue for a lane; leaving it, by destruction, gives the lane back.
  class Place {
   public:
    explicit Place(ChunkLanes& lanes);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    /// The lane, once it is this place's turn and one is free; else null.
    /// @throws Error if a lane cannot be made
    ChunkLane* try_take();

   private:
    ChunkLanes& lanes_;
    ChunkLane* lane_ = nullptr;
    std::list<Place*>::iterator position_;
  };

  /// Sum over the rings.
  [[nodiscard]] Statistics statistics() const;
  /// Drains what the rings may still hold, until the deadline. No place is taken any more.
  /// @returns copies not proven over
  std::size_t close(Clock::time_point deadline) noexcept;
  /// Ends the lanes; the driver's device is current.
  void clear() noexcept;

 private:
  ChunkLane* find_lane();  // one that may do, made if need be; null if all are taken

  const Driver& driver_;
  const std::shared_ptr<DeviceFault> fault_;
  const RingOptions options_;
  const unsigned limit_;
  const std::shared_ptr<Wakeup> wakeup_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<ChunkLane>> lanes_;
  std::list<Place*> queue_;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
