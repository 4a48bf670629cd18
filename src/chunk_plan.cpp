// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/chunk_plan.hpp"

#include <algorithm>
#include <cstdint>

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t line = 64;
constexpr std::size_t aligned = 256;

constexpr std::size_t second_chunk = 256 * kibibyte;  // the DMA of it takes as long as copying the first
constexpr std::size_t smallest_last_chunk = 256 * kibibyte;
constexpr std::size_t smallest_piece = 128 * kibibyte;
constexpr std::size_t usual_pieces = 8;               // of a chunk: some more than the threads that copy it
constexpr std::size_t most_cached = 1024 * kibibyte;  // half of a second-level cache of today

std::uintptr_t address(const std::byte* pointer) noexcept { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

std::size_t ChunkPlan::next() const noexcept {
  const std::size_t left = bytes_ - begin_;
  const std::size_t tail = left <= 2 * smallest_last_chunk ? left : left / 2 / aligned * aligned;
  const std::size_t most = std::min({largest_, grown_, tail});
  if (most < 2 * huge_page || most == left) return most;
  // The alignment of the source, which the DMA depends on, is worth more than the last bytes of a page.
  const std::uintptr_t from = address(destination_) + begin_;
  const std::uintptr_t most_end = from + most / aligned * aligned + aligned - 1;
  return (most_end / huge_page * huge_page - from) / aligned * aligned;
}

void ChunkPlan::took(std::size_t chunk) noexcept {
  begin_ += chunk;
  if (grown_ < largest_) grown_ = std::max(2 * grown_, second_chunk);
}

bool ChunkPlan::cacheable() const noexcept { return bytes_ <= most_cached; }

bool PieceList::worth_cutting(std::size_t chunk) noexcept { return chunk >= 2 * smallest_piece; }

PieceList::PieceList(std::byte* destination, std::span<const std::byte> source, HostCopy how,
                     PieceGroup& group) noexcept {
  const std::size_t bytes = source.size();
  const std::size_t unit = how == HostCopy::fresh ? huge_page : line;
  std::size_t size = how == HostCopy::fresh ? huge_page : std::max(smallest_piece, bytes / usual_pieces);
  size = (std::max(size, bytes / (most - 2)) + unit - 1) / unit * unit;
  for (std::size_t begin = 0; begin < bytes; ++count_) {
    // Every cut but the ends is at a multiple of the unit.
    const std::uintptr_t from = address(destination) + begin;
    const std::size_t end = std::min((from + size) / unit * unit - address(destination), bytes);
    pieces_[count_] = {.destination = destination + begin,
                       .source = source.data() + begin,
                       .bytes = end - begin,
                       .group = &group,
                       .how = how};
    begin = end;
  }
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
