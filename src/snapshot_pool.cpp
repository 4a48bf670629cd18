// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/snapshot_pool.hpp"

#include <algorithm>
#include <string>

namespace tailrace::inline TAILRACE_ABI::detail {

SnapshotPool::SnapshotPool(const Driver& driver, DeviceFault& fault, std::size_t limit) noexcept
    : driver_{driver}, fault_{fault}, limit_{limit} {}

SnapshotPool::Snapshot SnapshotPool::take(std::size_t bytes) {
  std::list<Buffer> made{{.bytes = bytes, .used = true}};
  std::list<Buffer> surplus;
  {
    const std::lock_guard lock{mutex_};
    if (Buffer* const buffer = best_fit(bytes)) {
      buffer->used = true;
      return {buffer->memory, Return{this}};
    }
    surplus = make_room(bytes);
    held_ += bytes;
  }
  free_all(surplus);
  const Status status = driver_.device_allocate(bytes, made.front().memory);
  void* const memory = made.front().memory;
  {
    const std::lock_guard lock{mutex_};
    if (status.ok()) {
      buffers_.splice(buffers_.end(), made);
    } else {
      held_ -= bytes;
    }
  }
  fault_.check(status, "device_allocate", {.operation = "snapshot"});
  return {memory, Return{this}};
}

std::size_t SnapshotPool::held() const {
  const std::lock_guard lock{mutex_};
  return held_;
}

void SnapshotPool::clear() noexcept {
  std::list<Buffer> unused;
  {
    const std::lock_guard lock{mutex_};
    for (auto at = buffers_.begin(); at != buffers_.end();) {
      const auto buffer = at++;
      if (buffer->used) continue;
      held_ -= buffer->bytes;
      unused.splice(unused.end(), buffers_, buffer);
    }
  }
  free_all(unused);
}

void SnapshotPool::put_back(void* memory) noexcept {
  const std::lock_guard lock{mutex_};
  std::ranges::find(buffers_, memory, &Buffer::memory)->used = false;
}

// With the lock held.
SnapshotPool::Buffer* SnapshotPool::best_fit(std::size_t bytes) noexcept {
  Buffer* best = nullptr;
  for (Buffer& buffer : buffers_) {
    // Not one that is much too large: it would be missing when it is needed.
    if (buffer.used || buffer.bytes < bytes || buffer.bytes / 4 > bytes) continue;
    if (best == nullptr || buffer.bytes < best->bytes) best = &buffer;
  }
  return best;
}

// With the lock held. Takes unused buffers out of the count, as many as must be freed to make room.
std::list<SnapshotPool::Buffer> SnapshotPool::make_room(std::size_t bytes) {
  std::size_t used = held_;
  for (const Buffer& buffer : buffers_) used -= buffer.used ? 0 : buffer.bytes;
  if (bytes > limit_ || used > limit_ - bytes) {
    throw Error{Errc::budget_exceeded,
                "a snapshot of " + std::to_string(bytes) + " bytes does not fit: " + std::to_string(used) + " of " +
                    std::to_string(limit_) + " bytes are used by others",
                "wait for earlier reads, raise RuntimeOptions::snapshot_limit, or use guard_source() instead",
                {.operation = "snapshot"}};
  }
  std::list<Buffer> surplus;
  for (auto at = buffers_.begin(); held_ > limit_ - bytes;) {
    const auto buffer = at++;
    if (buffer->used) continue;
    held_ -= buffer->bytes;
    surplus.splice(surplus.end(), buffers_, buffer);
  }
  return surplus;
}

void SnapshotPool::free_all(std::list<Buffer>& surplus) noexcept {
  for (const Buffer& buffer : surplus) {
    if (driver_.device_free(buffer.memory).ok()) continue;
    const std::lock_guard lock{mutex_};
    held_ += buffer.bytes;  // still there, and lost to us
  }
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
