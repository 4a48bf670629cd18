// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/snapshot_pool.hpp"

#include <algorithm>
#include <string>

namespace tailrace::inline TAILRACE_ABI::detail {

SnapshotPool::SnapshotPool(const Driver& driver, DeviceFault& fault, std::size_t limit) noexcept
    : driver_{driver}, fault_{fault}, limit_{limit} {}

SnapshotPool::~SnapshotPool() { free_unused(0); }

SnapshotPool::Snapshot SnapshotPool::take(std::size_t bytes) {
  const std::lock_guard lock{mutex_};
  if (Buffer* const buffer = best_fit(bytes)) {
    buffer->used = true;
    return {buffer->memory, Return{this}};
  }
  if (bytes <= limit_) free_unused(limit_ - bytes);
  if (bytes > limit_ || held_ > limit_ - bytes) {
    throw Error{Errc::budget_exceeded,
                "a snapshot of " + std::to_string(bytes) + " bytes does not fit: " + std::to_string(held_) + " of " +
                    std::to_string(limit_) + " bytes are used by others",
                "wait for earlier reads, raise RuntimeOptions::snapshot_limit, or use guard_source() instead",
                {.operation = "snapshot"}};
  }
  buffers_.reserve(buffers_.size() + 1);
  void* memory = nullptr;
  fault_.check(driver_.device_allocate(bytes, memory), "device_allocate", {.operation = "snapshot"});
  buffers_.push_back({.memory = memory, .bytes = bytes, .used = true});
  held_ += bytes;
  return {memory, Return{this}};
}

std::size_t SnapshotPool::held() const {
  const std::lock_guard lock{mutex_};
  return held_;
}

void SnapshotPool::put_back(void* memory) noexcept {
  const std::lock_guard lock{mutex_};
  std::ranges::find(buffers_, memory, &Buffer::memory)->used = false;
}

SnapshotPool::Buffer* SnapshotPool::best_fit(std::size_t bytes) noexcept {
  Buffer* best = nullptr;
  for (Buffer& buffer : buffers_) {
    // Not one that is much too large: it would be missing when it is needed.
    if (buffer.used || buffer.bytes < bytes || buffer.bytes / 4 > bytes) continue;
    if (best == nullptr || buffer.bytes < best->bytes) best = &buffer;
  }
  return best;
}

void SnapshotPool::free_unused(std::size_t until_held) noexcept {
  std::erase_if(buffers_, [&](const Buffer& buffer) {
    if (buffer.used || held_ <= until_held) return false;
    if (!driver_.device_free(buffer.memory).ok()) return false;  // still counted
    held_ -= buffer.bytes;
    return true;
  });
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
