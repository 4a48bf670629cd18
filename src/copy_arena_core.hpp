// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "src/cpu_count.hpp"
#include "src/host_copy.hpp"
#include "src/process.hpp"

#include <tailrace/copy_arena.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

namespace tailrace::inline TAILRACE_ABI::detail {

class Wakeup;

/// Pieces that belong together: one chunk of a large read.
struct PieceGroup {
  std::atomic<std::size_t> left{0};  ///< pieces not copied yet; 0 is published with release
  std::shared_ptr<Wakeup> wakeup{};  ///< notified when it becomes 0; may be empty
};

/// One copy to be done by a worker.
struct Piece {
  std::byte* destination = nullptr;
  const std::byte* source = nullptr;
  std::size_t bytes = 0;
  PieceGroup* group = nullptr;
  HostCopy how = HostCopy::streaming;
};

/// Something that waits in an arena's queue to be run once.
class ArenaJob {
 public:
  ArenaJob() = default;
  ArenaJob(const ArenaJob&) = delete;
  ArenaJob& operator=(const ArenaJob&) = delete;
  virtual ~ArenaJob() = default;
  virtual void run() noexcept = 0;

 private:
  friend class ArenaCore;
  // Both guarded by the arena's mutex.
  bool queued_ = false;
  std::list<std::shared_ptr<ArenaJob>>::iterator position_;
};

/// The two queues of a copy arena and the threads that empty them.
///
/// A *drainer* takes pieces, then jobs, until both queues are empty. There are at most concurrency() of them. In an
/// arena of our own, one is a dedicated thread inside the TBB arena, so that work is done even if the application holds
/// every TBB worker; the rest are put into the arena when there is work for them. In a foreign arena all are put there.
///
/// TBB wakes as many workers for an enqueued task as its arena has places, and those that find nothing spin for a time,
/// which costs a copy at the speed of the link a tenth of it. So an arena of our own is two: the first few drainers
/// have one that is no larger than they need.
///
/// Life cycle: the handle that own() and foreign() return ends the arena when its last copy goes; the core itself lives
/// until its last drainer has left it. Once the handle is gone nobody can enqueue, and both queues are empty, since
/// whoever enqueued has a handle and withdraws or awaits what it enqueued.
///
/// Locking: the mutex guards the queues and counters; it is never held while a piece or job runs, and no other lock is
/// taken under it.
class ArenaCore : public std::enable_shared_from_this<ArenaCore> {
 public:
  /// An arena of our own. @throws Error (Errc::invalid_argument)
  static std::shared_ptr<ArenaCore> own(const CopyArenaOptions& options);
  /// @throws Error (Errc::invalid_argument)
  static std::shared_ptr<ArenaCore> foreign(ForeignArena arena);

  ArenaCore(const ArenaCore&) = delete;
  ArenaCore& operator=(const ArenaCore&) = delete;
  ~ArenaCore();

  [[nodiscard]] unsigned concurrency() const noexcept { return concurrency_; }
  [[nodiscard]] const ProcessGuard& guard() const noexcept { return guard_; }

  /// Wakes drainers for them only as long as fewer than @p helpers are at pieces: for a copy that keeps up with few
  /// threads, waking more takes longer than they save.
  /// @throws std::bad_alloc; then none of them is queued
  void enqueue_pieces(std::span<const Piece> pieces, unsigned helpers = max_workers);
  /// Pops one piece and copies it on the calling thread; false if there is none, or enough threads are at them. Pieces
  /// for fresh memory, which take long, are left to others as long as one is at them: the caller has other things to
  /// look after.
  bool run_one_piece() noexcept;

  /// Two calls, since the caller may hold a lock of its own for the first, and not for the second, which may run code
  /// of a foreign arena's. @throws std::bad_alloc; then it is not queued
  void enqueue(std::shared_ptr<ArenaJob> job);
  /// Finds a drainer for each of so many new items, as far as there may be more.
  void start_drainers(std::size_t items) noexcept;
  /// Takes the job out of the queue; false if a drainer has taken it, which then runs it.
  bool withdraw(ArenaJob& job) noexcept;
  /// True if a drainer is at work, or will be soon whatever the application does: then a full queue will not stay full.
  [[nodiscard]] bool draining() const;

 private:
  struct Pool;
  struct OwnArena;

  ArenaCore(unsigned concurrency, std::unique_ptr<OwnArena> own, ForeignArena foreign);
  static std::shared_ptr<ArenaCore> counted(std::shared_ptr<ArenaCore> core);
  void shut_down() noexcept;

  void drain_beside(Pool* pool) noexcept;
  void drain_dedicated() noexcept;
  bool run_next(std::unique_lock<std::mutex>& lock) noexcept;
  void copy_front(std::unique_lock<std::mutex>& lock) noexcept;
  void start_drainers(std::unique_lock<std::mutex> lock, std::size_t items) noexcept;
  [[nodiscard]] unsigned at_pieces() const noexcept;
  [[nodiscard]] bool drained_by_this_thread() const noexcept;

  const ProcessGuard guard_;
  const unsigned concurrency_;
  const std::unique_ptr<OwnArena> own_;  ///< empty for a foreign arena
  const ForeignArena foreign_;
  std::thread dedicated_;

  mutable std::mutex mutex_;
  std::condition_variable work_;  ///< the dedicated drainer sleeps on it
  std::deque<Piece> pieces_;
  std::list<std::shared_ptr<ArenaJob>> jobs_;
  unsigned beside_ = 0;   ///< drainers besides the dedicated one, put into the arena and not left again
  unsigned at_work_ = 0;  ///< those of them that have started
  unsigned in_jobs_ = 0;  ///< drainers that run a job
  unsigned copying_ = 0;  ///< threads that copy a piece
  bool asleep_ = false;   ///< the dedicated drainer sleeps and nobody has woken it yet
  bool closed_ = false;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
