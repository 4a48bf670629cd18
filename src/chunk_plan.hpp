// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "src/copy_arena_core.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace tailrace::inline TAILRACE_ABI::detail {

/// How one large read is cut: into chunks for the DMA, and each chunk into pieces for the threads that copy it out.
///
/// The first chunks are small, so that copying begins while the DMA has hardly started, and grow; the last ones are
/// small again, since nothing overlaps the copying of the last. In between they end where a huge page of the
/// destination does.
class ChunkPlan {
 public:
  /// @param largest  bytes of a chunk's slot
  ChunkPlan(const std::byte* destination, std::size_t bytes, std::size_t largest) noexcept
      : destination_{destination}, bytes_{bytes}, largest_{largest} {}

  /// The most bytes that the next chunk should have; it begins behind those that were planned before.
  [[nodiscard]] std::size_t next() const noexcept;
  /// The next chunk was enqueued, with so many bytes.
  void took(std::size_t chunk) noexcept;

  /// The read is small enough to stay in the cache.
  [[nodiscard]] bool cacheable() const noexcept;

 private:
  const std::byte* destination_;
  std::size_t bytes_;
  std::size_t largest_;
  std::size_t begin_ = 0;
  std::size_t grown_ = std::size_t{64} << 10;  // what the next chunk may have grown to; so much is one small read
};

/// The pieces of one chunk, cut at cache lines, so that no two threads write one.
class PieceList {
 public:
  PieceList(std::byte* destination, std::span<const std::byte> source, HostCopy how, PieceGroup& group) noexcept;

  [[nodiscard]] std::span<const Piece> pieces() const noexcept { return std::span{pieces_}.first(count_); }
  /// Waking somebody for a chunk of so few bytes would take longer than to copy it.
  [[nodiscard]] static bool worth_cutting(std::size_t chunk) noexcept;

 private:
  static constexpr std::size_t most = 32;
  std::array<Piece, most> pieces_;
  std::size_t count_ = 0;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
