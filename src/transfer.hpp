// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "src/chunk_lanes.hpp"
#include "src/chunk_plan.hpp"
#include "src/copy_arena_core.hpp"
#include "src/device_fault.hpp"
#include "src/driver.hpp"
#include "src/region.hpp"
#include "src/resources.hpp"
#include "src/snapshot_pool.hpp"
#include "src/wakeup.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

namespace tailrace::inline TAILRACE_ABI::detail {

/// What the transfers of one runtime share.
struct TransferContext {
  const Driver& driver;
  DeviceFault& fault;
  ArenaCore& arena;
  ChunkLanes& lanes;
  EventPool& events;
  std::shared_ptr<Wakeup> wakeup;  ///< notified when a group of pieces is done, and when a lane comes back
  std::size_t chunk_bytes;
  std::chrono::nanoseconds drain_bound;
};

/// One large read, from its start to its end, as a machine that somebody drives by calling advance():
///
///  1. *waiting*: for a lane. The source is ordered after the producer already, by an event recorded at the start.
///  2. *running*: chunks go through the lane's ring; each chunk that is READY is claimed, copied out, and released: by
///     the arena, in pieces, or by the driving thread at once if it is small. A destination that is pinned as a whole
///     is written by one DMA instead. If a chunk cannot be enqueued, those before it are still copied out.
///  3. *draining*, after a failure: nothing more is enqueued, what is in flight is given up, and the end of what reads
///     the source or writes the destination is awaited, for a bounded time.
///  4. *finished*.
///
/// Driven by one thread at a time; guard_source() may be called from any.
class Transfer {
 public:
  /// Checks everything that can be checked, takes the snapshot if one is asked for, and records the start.
  /// The driver's device is current. @throws Error
  Transfer(const TransferContext& context, std::span<std::byte> destination, const Source& source, StreamRef producer,
           SnapshotPool* snapshots);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer();

  /// The first advance, where the driver's device is still current. It enqueues copies: somebody must drive on.
  void begin() noexcept;
  /// Goes on as far as possible without blocking. @returns true if something was done. Never throws: what fails is
  /// the transfer's outcome.
  bool advance() noexcept;
  [[nodiscard]] bool finished() const noexcept { return stage_ == Stage::finished; }
  /// Ends the transfer early, with Errc::closed, and without waiting for copies.
  void abandon() noexcept;
  /// Null, or what failed; an Error says how many leading bytes are good. Only if finished().
  [[nodiscard]] std::exception_ptr outcome() const noexcept { return failure_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return source_.bytes; }
  [[nodiscard]] bool direct() const noexcept { return direct_; }
  /// Workers are copying pieces: they read slots and write the destination. For the driving thread.
  [[nodiscard]] bool copying() const noexcept;
  /// A copy that no ring knows of, into the destination or the snapshot, was not proven over. Only if finished().
  [[nodiscard]] bool left_a_copy() const noexcept { return left_a_copy_; }

  /// Orders `stream` after the last read of the source, once that is enqueued; of a snapshot's it is from the start.
  /// May be called as long as the transfer is there, also when what it was made of is gone.
  /// @returns false if it is not enqueued yet
  /// @throws Error (Errc::copy_failed) if the transfer failed and the read was not proven over; or what the driver says
  bool try_guard_source(StreamRef stream);

 private:
  enum class Stage : std::uint8_t { waiting, running, draining, finished };
  struct Chunk {
    Ticket ticket;
    std::size_t begin = 0;
    std::optional<SlotClaim> claim;
    PieceGroup group;
    bool done = false;
  };

  void take_snapshot(SnapshotPool& snapshots, StreamRef producer);
  bool take_lane();
  void enqueue_first();
  bool start();
  Status record_end() noexcept;
  void source_enqueued() noexcept;
  bool run();
  bool run_direct();
  bool retire_chunks() noexcept;
  bool claim_chunks();
  bool submit_more() noexcept;
  bool submit_chunks() noexcept;
  void submit_next();
  void copy_out(Chunk& chunk);
  void share_out(Chunk& chunk, HostCopy how);
  void fail(std::exception_ptr reason) noexcept;
  bool drain() noexcept;
  bool give_up_chunks() noexcept;
  [[nodiscard]] bool proven_over() noexcept;
  void finish(bool over) noexcept;

  const TransferContext& context_;
  const std::span<std::byte> destination_;
  Source source_;
  SnapshotPool::Snapshot snapshot_{nullptr, {nullptr}};
  const bool direct_;
  const bool of_snapshot_;
  std::optional<ChunkLanes::Place> place_;
  ChunkLane* lane_ = nullptr;
  ChunkPlan plan_;
  unsigned helpers_;            // threads of the arena that may copy at once, besides the driving one
  std::size_t submitted_ = 0;   // bytes enqueued
  std::size_t good_ = 0;        // leading bytes that are there
  std::deque<Chunk> chunks_;    // enqueued and not retired, in order
  std::exception_ptr refusal_;  // of the chunk that would have been next
  std::exception_ptr failure_;
  Clock::time_point drain_deadline_;
  bool given_up_ = false;      // draining: tickets were discarded
  bool end_recorded_ = false;  // of a direct read
  bool left_a_copy_ = false;
  Stage stage_ = Stage::waiting;

  enum class Reading : std::uint8_t { not_enqueued, enqueued, over, unknown };
  std::mutex guard_mutex_;  // of the three below, between the driving thread and guard_source(); events end in finish()
  std::optional<PooledEvent> start_;  // behind the producer's work and the copy into the snapshot
  std::optional<PooledEvent> end_;    // behind a direct read, or behind the chunks when guard_source() asked last
  Reading reading_ = Reading::not_enqueued;  // of the source
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
