// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define TAILRACE_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TAILRACE_POISON 1
#endif
#endif
#ifdef TAILRACE_POISON
#include <sanitizer/asan_interface.h>
#endif

namespace tailrace::inline TAILRACE_ABI::detail {

/// In address sanitizer builds a free slot is poisoned, so that a view kept after its visitor is caught at its first
/// use. Otherwise nothing.
inline void poison([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef TAILRACE_POISON
  __asan_poison_memory_region(memory, bytes);
#endif
}

inline void unpoison([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef TAILRACE_POISON
  __asan_unpoison_memory_region(memory, bytes);
#endif
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
