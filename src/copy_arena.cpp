// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/copy_arena.hpp>

#include "src/copy_arena_core.hpp"

#include <mutex>
#include <utility>

namespace tailrace::inline TAILRACE_ABI {

CopyArena::CopyArena(CopyArenaOptions options) : core_{detail::ArenaCore::own(options)} {}

CopyArena::CopyArena(ForeignArena arena) : core_{detail::ArenaCore::foreign(std::move(arena))} {}

CopyArena::CopyArena(std::shared_ptr<detail::ArenaCore> core) noexcept : core_{std::move(core)} {}

CopyArena CopyArena::default_arena() {
  static std::mutex mutex;
  static std::weak_ptr<detail::ArenaCore> shared;
  const std::scoped_lock lock{mutex};
  std::shared_ptr<detail::ArenaCore> core = shared.lock();
  // A forked child has the parent's arena without its threads.
  if (core == nullptr || core->guard().forked()) {
    core = detail::ArenaCore::own({});
    shared = core;
  }
  return CopyArena{std::move(core)};
}

unsigned CopyArena::concurrency() const noexcept { return core_ ? core_->concurrency() : 0; }

}  // namespace tailrace::inline TAILRACE_ABI
