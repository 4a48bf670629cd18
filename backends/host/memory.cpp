// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "backends/host/memory.hpp"

#include <algorithm>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::host {
namespace {

std::uintptr_t number(const void* address) noexcept { return reinterpret_cast<std::uintptr_t>(address); }

// An allocation of 0 bytes has an address too.
std::size_t extent(const Allocation& entry) noexcept { return std::max<std::size_t>(entry.bytes, 1); }

}  // namespace

std::shared_ptr<Allocation> MemoryMap::allocate(std::size_t bytes, int device) {
  auto entry = std::make_shared<Allocation>();
  entry->bytes = bytes;
  entry->device = device;
  entry->storage.reset(static_cast<std::byte*>(::operator new(extent(*entry), allocation_alignment, std::nothrow)));
  entry->data = entry->storage.get();
  return entry->data ? insert(std::move(entry)) : nullptr;
}

std::shared_ptr<Allocation> MemoryMap::note(void* memory, std::size_t bytes, int device) {
  auto entry = std::make_shared<Allocation>();
  entry->data = static_cast<std::byte*>(memory);
  entry->bytes = bytes;
  entry->device = device;
  const auto next = entries_.upper_bound(number(memory));
  if (next != entries_.end() && next->first - number(memory) < extent(*entry)) return nullptr;
  if (find(memory)) return nullptr;
  return insert(std::move(entry));
}

std::shared_ptr<Allocation> MemoryMap::insert(std::shared_ptr<Allocation> entry) {
  entries_.emplace(number(entry->data), entry);
  bytes_ += entry->bytes;
  return entry;
}

std::shared_ptr<Allocation> MemoryMap::remove(const void* start) {
  const auto found = entries_.find(number(start));
  if (found == entries_.end()) return nullptr;
  std::shared_ptr<Allocation> entry = std::move(found->second);
  entries_.erase(found);
  bytes_ -= entry->bytes;
  return entry;
}

std::shared_ptr<Allocation> MemoryMap::find(const void* address) const {
  const auto next = entries_.upper_bound(number(address));
  if (next == entries_.begin()) return nullptr;
  const auto& [start, entry] = *std::prev(next);
  return number(address) - start < extent(*entry) ? entry : nullptr;
}

std::shared_ptr<Allocation> MemoryMap::find(const void* address, std::size_t bytes) const {
  std::shared_ptr<Allocation> entry = find(address);
  if (!entry) return nullptr;
  const std::size_t offset = number(address) - number(entry->data);
  return offset <= entry->bytes && bytes <= entry->bytes - offset ? entry : nullptr;
}

}  // namespace tailrace::inline TAILRACE_ABI::host
