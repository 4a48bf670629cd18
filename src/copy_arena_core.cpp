// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/copy_arena_core.hpp"

#include "src/wakeup.hpp"

#include <tailrace/error.hpp>
#include <tailrace/tbb.hpp>

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

tbb::task_arena::constraints constraints_of(unsigned concurrency, std::optional<int> numa_node) {
  tbb::task_arena::constraints constraints{};
  constraints.set_max_concurrency(static_cast<int>(concurrency));
  if (!numa_node) return constraints;
  // oneTBB crashes on a node that there is not. Where it cannot see the nodes it lists -1, which is none.
  const auto exists = [](tbb::numa_node_id node) {
    const std::vector<tbb::numa_node_id> nodes = tbb::info::numa_nodes();
    return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
  };
  if (*numa_node < 0 || !exists(*numa_node)) {
    throw Error{Errc::invalid_argument,
                "there is no NUMA node " + std::to_string(*numa_node),
                "take one of tbb::info::numa_nodes(), which needs oneTBB's tbbbind library, or leave it empty",
                {.operation = "CopyArena"}};
  }
  constraints.set_numa_id(*numa_node);
  return constraints;
}

void copy(const Piece& piece) noexcept {
  host_copy(piece.how, piece.destination, piece.source, piece.bytes);
  const std::shared_ptr<Wakeup> wakeup = piece.group->wakeup;  // the group may be gone once it counts 0
  if (piece.group->left.fetch_sub(1, std::memory_order_acq_rel) == 1 && wakeup != nullptr) wakeup->notify();
}

/// The cores that the calling thread is a drainer of, innermost first; one may run inside the other's job.
struct Draining {
  explicit Draining(const ArenaCore& drained) noexcept : core{&drained}, outer{innermost} { innermost = this; }
  Draining(const Draining&) = delete;
  Draining& operator=(const Draining&) = delete;
  ~Draining() { innermost = outer; }

  const ArenaCore* core;
  Draining* outer;
  static thread_local Draining* innermost;
};
thread_local Draining* Draining::innermost = nullptr;

}  // namespace

/// A TBB arena for so many drainers. The group counts those in it, so that the last one out can be waited for, and run
/// by the waiter if no worker ever came. Its context is isolated: else it would be cancelled together with the
/// application's task that happened to be first to use it.
struct ArenaCore::Pool {
  Pool(unsigned limit, std::optional<int> numa_node)
      : arena{constraints_of(limit + 1, numa_node), /* reserved for the dedicated drainer */ 1}, most{limit} {
    arena.initialize();
  }

  tbb::task_arena arena;
  tbb::task_group_context context{tbb::task_group_context::isolated};
  tbb::task_group group{context};
  const unsigned most;
  unsigned drainers = 0;  // guarded by the core's mutex
};

struct ArenaCore::OwnArena {
  static constexpr unsigned few_drainers = 3;  // with the dedicated one as many as copying at the speed of a link takes

  OwnArena(unsigned concurrency, std::optional<int> numa_node)
      : few{std::min(few_drainers, concurrency - 1), numa_node}, rest{concurrency - 1 - few.most, numa_node} {}

  Pool& next() noexcept { return few.drainers < few.most ? few : rest; }

  Pool few;
  Pool rest;
};

std::shared_ptr<ArenaCore> ArenaCore::own(const CopyArenaOptions& options) {
  const unsigned concurrency = std::clamp(options.concurrency.value_or(usable_cpus()), 1U, max_workers);
  auto own = std::make_unique<OwnArena>(concurrency, options.numa_node);
  std::shared_ptr<ArenaCore> core{new ArenaCore{concurrency, std::move(own), {}}};
  core->dedicated_ = std::thread{[core]() mutable {
    core->drain_dedicated();
    core.reset();
  }};
  return counted(std::move(core));
}

std::shared_ptr<ArenaCore> ArenaCore::foreign(ForeignArena arena) {
  if (!arena.enqueue) {
    throw Error{Errc::invalid_argument,
                "the foreign arena has no function to enqueue with",
                "set ForeignArena::enqueue, or use foreign_arena() of <tailrace/tbb.hpp>",
                {.operation = "CopyArena"}};
  }
  const unsigned concurrency = std::clamp(arena.threads, 1U, max_workers);
  return counted(std::shared_ptr<ArenaCore>{new ArenaCore{concurrency, nullptr, std::move(arena)}});
}

ArenaCore::ArenaCore(unsigned concurrency, std::unique_ptr<OwnArena> own, ForeignArena foreign)
    : concurrency_{concurrency}, own_{std::move(own)}, foreign_{std::move(foreign)} {}

ArenaCore::~ArenaCore() = default;

std::shared_ptr<ArenaCore> ArenaCore::counted(std::shared_ptr<ArenaCore> core) {
  ArenaCore* const pointer = core.get();
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the deleter owns the core
  return {pointer, [core = std::move(core)](ArenaCore* /*handle*/) mutable noexcept {
            core->shut_down();
            core.reset();  // the deleter itself lives as long as anybody has a weak handle
          }};
}

void ArenaCore::shut_down() noexcept {
  // There is no thread to join in a forked child, and none that ends at process exit. The dedicated drainer's own share
  // keeps the core.
  if (!guard_.usable() || !dedicated_.joinable()) return;
  {
    const std::scoped_lock lock{mutex_};
    closed_ = true;
    work_.notify_one();
  }
  if (drained_by_this_thread()) {
    // The last handle went inside one of our own jobs. The dedicated drainer, which waits for all others, is the last
    // out of the core and frees it.
    dedicated_.detach();
  } else {
    dedicated_.join();
  }
}

void ArenaCore::enqueue_pieces(std::span<const Piece> pieces, unsigned helpers) {
  std::unique_lock lock{mutex_};
  pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
  const unsigned at_them = at_pieces();
  // The dedicated drainer in any case: those that were put into the arena may not get a worker.
  const std::size_t more = helpers > at_them ? helpers - at_them : std::size_t{asleep_};
  start_drainers(std::move(lock), std::min(pieces.size(), more));
}

/// Drainers that take pieces, or will as soon as they have come. With the lock held.
unsigned ArenaCore::at_pieces() const noexcept {
  const unsigned dedicated = own_ != nullptr && !asleep_ ? 1 : 0;
  return beside_ + dedicated - std::min(in_jobs_, beside_ + dedicated);
}

bool ArenaCore::run_one_piece() noexcept {
  // So many threads copy as fast as a link brings the bytes. More take the memory's bandwidth from the DMA.
  constexpr unsigned enough = OwnArena::few_drainers + 2;
  std::unique_lock lock{mutex_};
  if (pieces_.empty() || copying_ >= (pieces_.front().how == HostCopy::fresh ? 1 : enough)) return false;
  copy_front(lock);
  return true;
}

/// Copies the oldest piece, without the lock.
void ArenaCore::copy_front(std::unique_lock<std::mutex>& lock) noexcept {
  const Piece piece = pieces_.front();
  pieces_.pop_front();
  ++copying_;
  lock.unlock();
  copy(piece);
  lock.lock();
  --copying_;
}

void ArenaCore::enqueue(std::shared_ptr<ArenaJob> job) {
  const std::scoped_lock lock{mutex_};
  ArenaJob& queued = *job;
  queued.position_ = jobs_.insert(jobs_.end(), std::move(job));
  queued.queued_ = true;
}

bool ArenaCore::withdraw(ArenaJob& job) noexcept {
  const std::scoped_lock lock{mutex_};
  if (!job.queued_) return false;
  job.queued_ = false;
  jobs_.erase(job.position_);  // the caller has a share of the job
  return true;
}

bool ArenaCore::draining() const {
  const std::scoped_lock lock{mutex_};
  return own_ != nullptr || at_work_ > 0;
}

void ArenaCore::start_drainers(std::size_t items) noexcept { start_drainers(std::unique_lock{mutex_}, items); }

void ArenaCore::start_drainers(std::unique_lock<std::mutex> lock, std::size_t items) noexcept {
  if (asleep_ && items > 0) {
    asleep_ = false;
    work_.notify_one();
    --items;
  }
  const unsigned most = own_ != nullptr ? concurrency_ - 1 : concurrency_;
  const auto count = static_cast<unsigned>(std::min<std::size_t>(items, most - beside_));
  for (unsigned started = 0; started < count; ++started) {
    ++beside_;
    Pool* const pool = own_ != nullptr ? &own_->next() : nullptr;
    if (pool != nullptr) ++pool->drainers;
    lock.unlock();
    try {
      if (pool != nullptr) {  // the dedicated drainer keeps the core until the group is empty
        pool->arena.enqueue(pool->group.defer(Handoff{[this, pool] { drain_beside(pool); }}));
      } else {
        foreign_.enqueue([core = shared_from_this()] { core->drain_beside(nullptr); });
      }
      lock.lock();
    } catch (...) {  // no harm: the drainers that run do the work, and so does whoever waits for it
      lock.lock();
      --beside_;
      if (pool != nullptr) --pool->drainers;
      return;
    }
  }
}

void ArenaCore::drain_beside(Pool* pool) noexcept {
  const Draining here{*this};
  std::unique_lock lock{mutex_};
  ++at_work_;
  while (run_next(lock)) {
  }
  --at_work_;
  --beside_;
  if (pool != nullptr) --pool->drainers;
}

void ArenaCore::drain_dedicated() noexcept {
  const Draining here{*this};
  own_->few.arena.execute([this] {
    std::unique_lock lock{mutex_};
    while (true) {
      while (run_next(lock)) {
      }
      if (closed_) break;
      asleep_ = true;
      work_.wait(lock, [this] { return !asleep_ || closed_; });
      asleep_ = false;
    }
    lock.unlock();
    own_->few.group.wait();
  });
  own_->rest.arena.execute([this] { own_->rest.group.wait(); });
}

/// Runs one piece, or else one job, without the lock. False if there is neither; the lock is held from then on, so that
/// a drainer can sign off before anything new is enqueued.
bool ArenaCore::run_next(std::unique_lock<std::mutex>& lock) noexcept {
  if (ProcessGuard::exiting()) return false;  // what a new job would use may be destroyed already
  if (!pieces_.empty()) {
    copy_front(lock);
  } else if (!jobs_.empty()) {
    std::shared_ptr<ArenaJob> job = std::move(jobs_.front());
    jobs_.pop_front();
    job->queued_ = false;
    ++in_jobs_;
    lock.unlock();
    job->run();
    job.reset();  // what it held may end here, without the lock
    lock.lock();
    --in_jobs_;
  } else {
    return false;
  }
  return true;
}

bool ArenaCore::drained_by_this_thread() const noexcept {
  for (const Draining* frame = Draining::innermost; frame != nullptr; frame = frame->outer) {
    if (frame->core == this) return true;
  }
  return false;
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
