// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <cstddef>
#include <span>

namespace tailrace::inline TAILRACE_ABI::detail {

/// memcpy with non-temporal stores where the machine has them: the destination is too large to be read back from the
/// cache, and reading its lines before overwriting them would cost a third of the bandwidth. When it returns, the bytes
/// can be published with an ordinary release.
void streaming_copy(std::byte* destination, const std::byte* source, std::size_t bytes) noexcept;

/// One way to do that.
struct StreamingVariant {
  const char* name;
  void (*copy)(std::byte* destination, const std::byte* source, std::size_t bytes) noexcept;
};
/// All ways that this CPU can execute, the best one first; the last is memcpy.
[[nodiscard]] std::span<const StreamingVariant> streaming_variants() noexcept;

}  // namespace tailrace::inline TAILRACE_ABI::detail
