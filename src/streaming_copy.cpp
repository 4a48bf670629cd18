// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/streaming_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

// The sanitizers see memcpy, but not the stores that bypass the cache.
#if defined(__SSE2__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TAILRACE_STREAMING_STORES 1
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#undef TAILRACE_STREAMING_STORES
#endif
#endif
#endif

#ifdef TAILRACE_STREAMING_STORES
#include <emmintrin.h>
#endif

namespace tailrace::inline TAILRACE_ABI::detail {

#ifdef TAILRACE_STREAMING_STORES

namespace {

constexpr std::size_t line = 64;

/// Whole cache lines to an aligned destination, so that each line leaves the write-combining buffers at once.
void stream_lines(std::byte* destination, const std::byte* source, std::size_t lines) noexcept {
  for (; lines != 0; --lines, destination += line, source += line) {
    const auto* const from = reinterpret_cast<const __m128i*>(source);
    auto* const to = reinterpret_cast<__m128i*>(destination);
    const __m128i a = _mm_loadu_si128(from);
    const __m128i b = _mm_loadu_si128(from + 1);
    const __m128i c = _mm_loadu_si128(from + 2);
    const __m128i d = _mm_loadu_si128(from + 3);
    _mm_stream_si128(to, a);
    _mm_stream_si128(to + 1, b);
    _mm_stream_si128(to + 2, c);
    _mm_stream_si128(to + 3, d);
  }
  _mm_sfence();  // non-temporal stores are not ordered by a release
}

}  // namespace

void streaming_copy(std::byte* destination, const std::byte* source, std::size_t bytes) noexcept {
  const std::size_t to_boundary = (line - reinterpret_cast<std::uintptr_t>(destination) % line) % line;
  const std::size_t head = std::min(to_boundary, bytes);
  const std::size_t lines = (bytes - head) / line;
  const std::size_t tail = head + lines * line;
  if (head != 0) std::memcpy(destination, source, head);
  if (lines != 0) stream_lines(destination + head, source + head, lines);
  if (tail != bytes) std::memcpy(destination + tail, source + tail, bytes - tail);
}

#else

void streaming_copy(std::byte* destination, const std::byte* source, std::size_t bytes) noexcept {
  if (bytes != 0) std::memcpy(destination, source, bytes);
}

#endif

}  // namespace tailrace::inline TAILRACE_ABI::detail
