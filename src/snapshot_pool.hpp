// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "src/device_fault.hpp"
#include "src/driver.hpp"

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>

namespace tailrace::inline TAILRACE_ABI::detail {

/// Device memory for snapshots, kept for reuse and bounded. Safe from any thread; the driver's device is current in
/// take() and clear(). No lock is held in a driver call, since allocating and freeing may wait for the device.
class SnapshotPool {
 public:
  SnapshotPool(const Driver& driver, DeviceFault& fault, std::size_t limit) noexcept;
  ~SnapshotPool() = default;
  SnapshotPool(const SnapshotPool&) = delete;
  SnapshotPool& operator=(const SnapshotPool&) = delete;

  struct Return {
    SnapshotPool* pool;
    void operator()(void* memory) const noexcept { pool->put_back(memory); }
  };
  /// Device memory that goes back to the pool, where it may be used again at once: nothing on the device may still
  /// write it. If that cannot be known, release() it: then it stays allocated, and counted, until the process ends.
  using Snapshot = std::unique_ptr<void, Return>;

  /// @throws Error (Errc::budget_exceeded), or what the driver says
  Snapshot take(std::size_t bytes);
  [[nodiscard]] std::size_t held() const;  ///< bytes
  /// Frees what is not used.
  void clear() noexcept;

 private:
  struct Buffer {
    void* memory = nullptr;
    std::size_t bytes = 0;
    bool used = false;
  };
  void put_back(void* memory) noexcept;
  Buffer* best_fit(std::size_t bytes) noexcept;
  std::list<Buffer> make_room(std::size_t bytes);
  void free_all(std::list<Buffer>& surplus) noexcept;

  const Driver& driver_;
  DeviceFault& fault_;
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::size_t held_ = 0;
  std::list<Buffer> buffers_;  // the oldest first
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
