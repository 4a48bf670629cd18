// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <new>

namespace tailrace::inline TAILRACE_ABI::host {

inline constexpr std::align_val_t allocation_alignment{256};

struct AlignedDelete {
  void operator()(std::byte* memory) const noexcept { ::operator delete(memory, allocation_alignment); }
};

/// One allocation, or one registration of memory that somebody else owns.
struct Allocation {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  int device = 0;                                     ///< current when it was made
  std::unique_ptr<std::byte, AlignedDelete> storage;  ///< empty for a registration
  bool managed = false;                               ///< reported as memory that host and devices share
  unsigned uses = 0;                                  ///< enqueued copies that touch it; see Scheduler
};

/// Memory of one kind by address. Entries do not overlap. Not synchronised; the machine's mutex guards it.
class MemoryMap {
 public:
  /// New memory, undefined in content, so that sanitizers see it as they see any other.
  /// @returns null if there is none left
  std::shared_ptr<Allocation> allocate(std::size_t bytes, int device);
  /// Notes memory of the caller's. @returns null if a part of it is noted already
  std::shared_ptr<Allocation> note(void* memory, std::size_t bytes, int device);
  /// Takes the entry that starts at this address out of the map; null if there is none.
  std::shared_ptr<Allocation> remove(const void* start);

  [[nodiscard]] std::shared_ptr<Allocation> find(const void* address) const;
  /// The entry that every byte of the range belongs to, or null.
  [[nodiscard]] std::shared_ptr<Allocation> find(const void* address, std::size_t bytes) const;
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t count() const noexcept { return entries_.size(); }

 private:
  std::shared_ptr<Allocation> insert(std::shared_ptr<Allocation> entry);
  std::map<std::uintptr_t, std::shared_ptr<Allocation>> entries_;
  std::size_t bytes_ = 0;
};

}  // namespace tailrace::inline TAILRACE_ABI::host
