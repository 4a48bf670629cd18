// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <functional>
#include <memory>
#include <optional>

namespace tailrace::inline TAILRACE_ABI {

namespace detail {
class ArenaCore;
}

/// How a copy arena is made.
struct CopyArenaOptions {
  /// Workers at most; empty: one per CPU of the process's affinity mask and quota. Clamped to 1…32.
  std::optional<unsigned> concurrency{};
  /// Workers run on this NUMA node; empty: anywhere. @see tbb::info::numa_nodes()
  std::optional<int> numa_node{};
};

/// An arena of somebody else's, as the one operation that is needed of it; <tailrace/tbb.hpp> makes one of a
/// tbb::task_arena. There is no thread of tailrace's in it: copies start when the arena gets round to them, or when
/// somebody waits for them.
struct ForeignArena {
  unsigned threads = 1;                                ///< threads that it may give to copies at once
  std::function<void(std::function<void()>)> enqueue;  ///< starts the function on a thread of the arena, some time
};

/// A bounded oneTBB task arena that runs host copies: tagged jobs and the pieces of large reads. A shared handle;
/// copies name the same arena, which ends when the last handle and the last user are gone: what runs is joined.
/// Safe from any thread.
class TAILRACE_EXPORT CopyArena {
 public:
  /// @throws Error (Errc::invalid_argument) for a NUMA node that there is not
  explicit CopyArena(CopyArenaOptions options);
  /// @throws Error (Errc::invalid_argument) if its function is empty
  explicit CopyArena(ForeignArena arena);
  /// The arena that everything uses which was given none: one per process, made for its first user and joined by its
  /// last.
  [[nodiscard]] static CopyArena default_arena();

  /// Workers at most; 0 after it was moved from.
  [[nodiscard]] unsigned concurrency() const noexcept;

 private:
  friend class CopyStreams;
  friend class Runtime;
  explicit CopyArena(std::shared_ptr<detail::ArenaCore> core) noexcept;
  std::shared_ptr<detail::ArenaCore> core_;
};

}  // namespace tailrace::inline TAILRACE_ABI
