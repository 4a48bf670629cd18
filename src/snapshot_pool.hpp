// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "src/device_fault.hpp"
#include "src/driver.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace tailrace::inline TAILRACE_ABI::detail {

/// Device memory for snapshots, kept for reuse and bounded. Safe from any thread; the driver's device is current in
/// every call.
class SnapshotPool {
 public:
  SnapshotPool(const Driver& driver, DeviceFault& fault, std::size_t limit) noexcept;
  ~SnapshotPool();
  SnapshotPool(const SnapshotPool&) = delete;
  SnapshotPool& operator=(const SnapshotPool&) = delete;

  struct Return {
    SnapshotPool* pool;
    void operator()(void* memory) const noexcept { pool->put_back(memory); }
  };
  /// Device memory that goes back to the pool.
  using Snapshot = std::unique_ptr<void, Return>;

  /// @throws Error (Errc::budget_exceeded), or what the driver says
  Snapshot take(std::size_t bytes);
  [[nodiscard]] std::size_t held() const;  ///< bytes

 private:
  struct Buffer {
    void* memory = nullptr;
    std::size_t bytes = 0;
    bool used = false;
  };
  void put_back(void* memory) noexcept;
  Buffer* best_fit(std::size_t bytes) noexcept;
  void free_unused(std::size_t until_held) noexcept;

  const Driver& driver_;
  DeviceFault& fault_;
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::size_t held_ = 0;
  std::vector<Buffer> buffers_;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
