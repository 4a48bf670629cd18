// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/streaming_copy.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

// The sanitizers see memcpy, but not the stores that bypass the cache.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TAILRACE_PLAIN_STORES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TAILRACE_PLAIN_STORES 1
#endif
#endif

#if defined(__SSE2__) && !defined(TAILRACE_PLAIN_STORES)
#include <immintrin.h>
#endif

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

void plain(std::byte* destination, const std::byte* source, std::size_t bytes) noexcept {
  if (bytes != 0) std::memcpy(destination, source, bytes);
}

#if !defined(TAILRACE_PLAIN_STORES) && (defined(__SSE2__) || defined(__aarch64__))

constexpr std::size_t line = 64;

// Whole cache lines to an aligned destination, so that each line leaves the write-combining buffers at once.
using StreamLines = void (*)(std::byte* destination, const std::byte* source, std::size_t lines) noexcept;

template <StreamLines stream_lines>
void streaming(std::byte* destination, const std::byte* source, std::size_t bytes) noexcept {
  const std::size_t to_boundary = (line - reinterpret_cast<std::uintptr_t>(destination) % line) % line;
  const std::size_t head = std::min(to_boundary, bytes);
  const std::size_t lines = (bytes - head) / line;
  const std::size_t tail = head + lines * line;
  plain(destination, source, head);
  if (lines != 0) stream_lines(destination + head, source + head, lines);
  plain(destination + tail, source + tail, bytes - tail);
}

#endif

#if !defined(TAILRACE_PLAIN_STORES) && defined(__SSE2__)

void lines_sse2(std::byte* destination, const std::byte* source, std::size_t lines) noexcept {
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

[[gnu::target("avx2")]] void lines_avx2(std::byte* destination, const std::byte* source, std::size_t lines) noexcept {
  for (; lines != 0; --lines, destination += line, source += line) {
    const auto* const from = reinterpret_cast<const __m256i*>(source);
    auto* const to = reinterpret_cast<__m256i*>(destination);
    const __m256i a = _mm256_loadu_si256(from);
    const __m256i b = _mm256_loadu_si256(from + 1);
    _mm256_stream_si256(to, a);
    _mm256_stream_si256(to + 1, b);
  }
  _mm_sfence();
}

constexpr std::array variants{StreamingVariant{"avx2", streaming<lines_avx2>},
                              StreamingVariant{"sse2", streaming<lines_sse2>}, StreamingVariant{"memcpy", plain}};
std::size_t unusable() noexcept { return __builtin_cpu_supports("avx2") ? 0 : 1; }

#elif !defined(TAILRACE_PLAIN_STORES) && defined(__aarch64__)

void lines_neon(std::byte* destination, const std::byte* source, std::size_t lines) noexcept {
  for (; lines != 0; --lines, destination += line, source += line) {
    // g++ 12 has no intrinsic for these stores.
    asm volatile(
        "ldp q0, q1, [%[from]]\n\t"
        "ldp q2, q3, [%[from], #32]\n\t"
        "stnp q0, q1, [%[to]]\n\t"
        "stnp q2, q3, [%[to], #32]"
        :
        : [from] "r"(source), [to] "r"(destination)
        : "v0", "v1", "v2", "v3", "memory");
  }
  asm volatile("dmb ishst" ::: "memory");
}

constexpr std::array variants{StreamingVariant{"neon", streaming<lines_neon>}, StreamingVariant{"memcpy", plain}};
std::size_t unusable() noexcept { return 0; }

#else

constexpr std::array variants{StreamingVariant{"memcpy", plain}};
std::size_t unusable() noexcept { return 0; }

#endif

}  // namespace

std::span<const StreamingVariant> streaming_variants() noexcept {
  static const std::size_t first = unusable();  // the CPU is asked once
  return std::span{variants}.subspan(first);
}

void streaming_copy(std::byte* destination, const std::byte* source, std::size_t bytes) noexcept {
  streaming_variants().front().copy(destination, source, bytes);
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
