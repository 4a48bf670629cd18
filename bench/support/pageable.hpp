// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

namespace bench {

/// What is behind the addresses of pageable memory: pages that are there, or none yet, to be made small or huge.
enum class Pages : std::uint8_t { touched, fresh_small, fresh_huge };

/// Pageable memory at the start of a huge page.
class Pageable {
 public:
  Pageable(std::size_t bytes, Pages pages) : bytes_{bytes}, pages_{pages} {
    map();
    if (pages_ == Pages::touched) std::memset(begin_, 1, bytes_);
  }
  ~Pageable() { unmap(); }
  Pageable(const Pageable&) = delete;
  Pageable& operator=(const Pageable&) = delete;

  /// Gives the pages of fresh memory back, so that they are to be made again; its bytes are then zero. Touched memory
  /// stays as it is.
  void renew() {
    if (pages_ == Pages::touched) return;
    unmap();
    map();
  }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {begin_, bytes_}; }

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20;

  void map() {
    mapped_ = mmap(nullptr, bytes_ + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) throw std::bad_alloc{};
    // Of touched memory, the system's setting decides, as for memory that a program allocates.
    const int advice = pages_ == Pages::fresh_huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
    if (pages_ != Pages::touched) static_cast<void>(madvise(mapped_, bytes_ + huge_page, advice));
    const std::size_t beyond = reinterpret_cast<std::uintptr_t>(mapped_) % huge_page;
    begin_ = static_cast<std::byte*>(mapped_) + (huge_page - beyond) % huge_page;
  }
  void unmap() noexcept { munmap(mapped_, bytes_ + huge_page); }

  std::size_t bytes_;
  Pages pages_;
  void* mapped_ = nullptr;
  std::byte* begin_ = nullptr;
};

}  // namespace bench
