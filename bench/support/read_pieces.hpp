// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "bench/support/plain.hpp"
#include "bench/support/source.hpp"

#include <cstddef>
#include <span>

namespace bench {

enum class Check { ends, all };

/// Reads @p count pieces back through a ring of any kind (plain::EventRing, Window, RecordWindow), as many at once as
/// it takes, each checked in place.
template <class Ring>
void read_pieces(Ring& ring, const Source& source, std::size_t count, tailrace::StreamRef producer,
                 Check check = Check::ends) {
  std::size_t taken = 0;
  const auto read = [&](const std::byte* bytes) {
    check == Check::all ? source.check_all(taken, bytes) : source.check_ends(taken, bytes);
    ++taken;
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (ring.full()) ring.take(read);
    ring.submit(source.piece(i), producer);
  }
  while (!ring.empty()) ring.take(read);
}

/// The same with the vendor's blocking copy, into one destination.
inline void read_pieces_blocking(std::span<std::byte> destination, const Source& source, std::size_t count,
                                 tailrace::StreamRef producer, Check check = Check::ends) {
  for (std::size_t i = 0; i < count; ++i) {
    plain::blocking_copy(destination, source.piece(i), producer);
    check == Check::all ? source.check_all(i, destination.data()) : source.check_ends(i, destination.data());
  }
}

}  // namespace bench
