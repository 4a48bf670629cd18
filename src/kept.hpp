// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <atomic>
#include <memory>

namespace tailrace::inline TAILRACE_ABI::detail {

/// Objects that must not be destroyed, since nothing of theirs may be touched any more: kept until the process ends,
/// where leak checkers can see that they are known. T has a member `T* next_kept_`, which is the list's.
template <class T>
class Kept {
 public:
  static void add(std::unique_ptr<T> object) noexcept {
    T* const added = object.release();
    added->next_kept_ = first.load(std::memory_order_relaxed);
    while (
        !first.compare_exchange_weak(added->next_kept_, added, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

 private:
  inline static std::atomic<T*> first{nullptr};
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
