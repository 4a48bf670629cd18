// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/copy_arena.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

namespace tailrace::inline TAILRACE_ABI::detail {

/// What a driver of transfers sleeps on: anything that could let it go on bumps it.
class Wakeup;

/// Pieces that belong together: one chunk of a large read.
struct PieceGroup {
  std::atomic<std::size_t> left{0};  ///< pieces not copied yet; 0 is published with release
  Wakeup* wakeup = nullptr;          ///< notified when it becomes 0
};

/// One memcpy to be done by a worker.
struct Piece {
  std::byte* destination = nullptr;
  const std::byte* source = nullptr;
  std::size_t bytes = 0;
  PieceGroup* group = nullptr;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
