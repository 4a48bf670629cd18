// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <cstddef>
#include <cstdint>

namespace tailrace::inline TAILRACE_ABI::detail {

/// Which copy suits a destination in host memory.
enum class HostCopy : std::uint8_t {
  cached,     ///< small, and used soon: it stays in the cache
  streaming,  ///< large: it would not stay there, so the stores go past it
  fresh,      ///< its pages are not there yet: the kernel makes many at once, and leaves them, zeroed, in the cache
};

/// Copies in that way; each is right for every destination.
void host_copy(HostCopy how, std::byte* destination, const std::byte* source, std::size_t bytes) noexcept;

/// Whether the last whole page of the range is in memory already, as a sample of all of them: one system call. True
/// also if the range has no whole page, or if the kernel does not say. Leaves errno as it was.
[[nodiscard]] bool looks_resident(const std::byte* range, std::size_t bytes) noexcept;

/// Where copies into fresh memory should be cut: two threads that touch one huge page first would both zero it.
constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace tailrace::inline TAILRACE_ABI::detail
