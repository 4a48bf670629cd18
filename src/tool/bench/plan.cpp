// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "plan.hpp"

#include "../table.hpp"

#include <algorithm>
#include <bit>

namespace tailrace::tool {

LargeSize plan_large_size(unsigned seconds, const Room& room) {
  // A slow machine reads some 16 MiB in every way, and looks at them, in a tenth of a second.
  const std::size_t for_time = std::bit_floor(std::min(most_large_bytes, mebibyte * 16 * seconds));
  const std::size_t for_memory = std::max(least_large_bytes, std::bit_floor(std::min(room.device / 2, room.host / 8)));
  if (for_memory >= for_time) return {for_time, std::nullopt};
  return {for_memory, "large reads are of " + binary_size(for_memory) + " only, since just " +
                          binary_size(room.device) + " of device memory are free and " + binary_size(room.host) +
                          " of host memory available"};
}

std::size_t plan_slot_size(std::size_t large_bytes) noexcept {
  return std::min(most_slot_bytes, large_bytes / large_slots / 2);
}

}  // namespace tailrace::tool
