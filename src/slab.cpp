// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/slab.hpp"

#include "src/cpu_count.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t huge_page = 2 * mebibyte;
constexpr std::size_t small_page = 4096;  // or a part of one: a page may be touched more than once

// First touch is the kernel's zeroing of pages, which more threads than this do no faster; and what a thread zeroes
// must take much longer than its start.
constexpr std::size_t most_threads = 16;
constexpr std::size_t bytes_per_thread = 8 * mebibyte;
constexpr std::size_t piece = 4 * mebibyte;

/// Null, or @p bytes bytes from a boundary of huge pages on. Newer kernels would align large mappings by themselves.
std::byte* map_aligned(std::size_t bytes) noexcept {
  if (bytes == 0 || bytes > std::numeric_limits<std::size_t>::max() / 2) return nullptr;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t wanted = (bytes + page - 1) / page * page;
  void* const mapped = ::mmap(nullptr, wanted + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const first = static_cast<std::byte*>(mapped);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(mapped) % huge_page;
  if (before != 0) ::munmap(first, before);
  ::munmap(first + before + wanted, huge_page - before);
  return first + before;
}

/// Not a binding: where that node is full, memory of another one is slower, and the alternative is to be killed. Where
/// the system does not allow it, as in many containers, the memory is where the touching threads run.
void prefer_node(std::byte* data, std::size_t bytes, int node) noexcept {
  constexpr std::size_t bits = sizeof(unsigned long) * CHAR_BIT;
  std::array<unsigned long, 16> nodes{};
  if (node < 0 || static_cast<std::size_t>(node) >= nodes.size() * bits) return;
  const auto n = static_cast<std::size_t>(node);
  nodes[n / bits] = 1UL << n % bits;
  // The kernel takes the number of bits to be one more than it is.
  static_cast<void>(::syscall(SYS_mbind, data, bytes, MPOL_PREFERRED, nodes.data(), nodes.size() * bits + 1, 0U));
}

void touch(std::byte* data, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += small_page) static_cast<volatile std::byte*>(data)[at] = std::byte{0};
}

/// Touches pieces until there is none left. The helpers take from the same pile, so that it does not matter how many of
/// them there are.
void touch_in_pieces(std::byte* data, std::size_t bytes, std::atomic<std::size_t>& next) noexcept {
  for (std::size_t at = 0; (at = next.fetch_add(piece, std::memory_order_relaxed)) < bytes;) {
    touch(data + at, std::min(piece, bytes - at));
  }
}

void touch_by_threads(std::byte* data, std::size_t bytes) noexcept {
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> helpers;
  try {
    const std::size_t threads = std::min({std::size_t{usable_cpus()}, most_threads, bytes / bytes_per_thread});
    while (helpers.size() + 1 < threads) {
      helpers.emplace_back([=, &next] { touch_in_pieces(data, bytes, next); });
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch): with fewer threads it takes longer
  }
  touch_in_pieces(data, bytes, next);
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace

Slab Slab::map(std::size_t bytes, std::optional<int> numa_node) noexcept {
  std::byte* const data = map_aligned(bytes);
  if (data == nullptr) return {};
  Slab slab{data, bytes};
  if (::madvise(data, bytes, MADV_DONTFORK) != 0) return {};
  static_cast<void>(::madvise(data, bytes, MADV_HUGEPAGE));  // not every kernel has them; small pages are slower to pin
  if (numa_node) prefer_node(data, bytes, *numa_node);
  touch_by_threads(data, bytes);
  return slab;
}

Slab::~Slab() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
