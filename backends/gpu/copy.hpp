// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "backends/adapter.hpp"
#include "backends/gpu/status.hpp"

#include <cstddef>

namespace tailrace::inline TAILRACE_ABI::backend {

/// The same bytes in the same order with as few dimensions as they need: plain copies are the fastest, and only they
/// have no limit on the pitch.
inline Region simplified(Region region) noexcept {
  if (region.height > 1 && region.pitch == region.width) {  // the rows of a slice follow each other: one long row
    region.width *= region.height;
    region.height = 1;
  }
  if (region.height == 1 && region.depth > 1) {  // slices of one row: rows of one slice
    region.height = region.depth;
    region.pitch = region.slice_pitch;
    region.depth = 1;
  }
  if (region.depth == 1 && region.height > 1 && region.pitch == region.width) {
    region.width *= region.height;
    region.height = 1;
  }
  return region;
}

/// What pitched copies of both vendors take at most: their property "maximum pitch" says so on every device. A larger
/// pitch is refused before anything is enqueued: a copy per row could fail half-way, with part of it in flight.
inline constexpr std::size_t max_pitch = 0x7fff'ffff;

/// Enqueues the copy of a region into consecutive bytes, with one call, so that it is accepted as a whole or not at
/// all.
template <class Api>
Status copy(void* destination, const Region& source, typename Api::CopyKind kind, native_stream stream) noexcept {
  const Region r = simplified(source);
  if ((r.height > 1 || r.depth > 1) && r.pitch > max_pitch) {
    return {Outcome::unsupported, static_cast<int>(Api::invalid_pitch)};
  }
  if (r.depth > 1) return status<Api>(Api::copy_3d(destination, r, kind, stream));
  if (r.height > 1) return status<Api>(Api::copy_2d(destination, r, kind, stream));
  return status<Api>(Api::copy_1d(destination, r.data, r.width, kind, stream));
}

}  // namespace tailrace::inline TAILRACE_ABI::backend
