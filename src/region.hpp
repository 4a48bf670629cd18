// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/view.hpp>

#include "backends/adapter.hpp"

#include <cstddef>

namespace tailrace::inline TAILRACE_ABI::detail {

/// A view that passed every check that needs no device: what is left to the driver is whether the memory is there.
struct Source {
  backend::Region region;
  std::size_t bytes = 0;  ///< dense length
};

/// @throws Error (Errc::null_source, region_overflow, invalid_argument)
Source checked(const DeviceView& view, const char* operation);

/// The part of a region that starts at dense byte `begin` and is one region again: whole slices, whole rows or a part
/// of a row, as large as possible but at most `limit` bytes. Both begin and limit lie inside the region, limit is not
/// 0.
Source part(const Source& whole, std::size_t begin, std::size_t limit) noexcept;

}  // namespace tailrace::inline TAILRACE_ABI::detail
