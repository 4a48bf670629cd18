// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <cstddef>
#include <string>

namespace soak {

/// What the process holds now.
struct Usage {
  std::size_t resident_bytes = 0;
  std::size_t pinned_bytes = 0;  ///< by the library
  std::size_t handles = 0;       ///< open file descriptors
  std::size_t threads = 0;
};

/// What this process holds; the pinned memory is what the library says of itself.
[[nodiscard]] Usage usage_now(std::size_t pinned_bytes);

/// The most of each.
[[nodiscard]] Usage most_of(const Usage& one, const Usage& other);

/// What has grown from warm-up on by more than it may; empty if nothing has. Pinned memory may not exceed its bound at
/// any time. Resident memory may grow by the pinned memory that came meanwhile (on the host backend by all of it, since
/// there it is touched when it is first used) and by 64 MiB, the heap's slack of many threads. Handles may by 16:
/// system files that somebody is just reading. Threads may by 64: an arena's when it is busier than before and, on the
/// host backend, streams of rings that come and go. A leak is soon beyond all of these.
[[nodiscard]] std::string grown(const Usage& warm, const Usage& later, std::size_t pinned_bound);

}  // namespace soak
