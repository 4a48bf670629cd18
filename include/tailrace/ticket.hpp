// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tailrace::inline TAILRACE_ABI {

/// The state of a slot, as users see it: free → pending → ready → free, or pending → error → free.
enum class SlotState : std::uint8_t { free, pending, ready, error };

/// "FREE", "PENDING", "READY" or "ERROR".
[[nodiscard]] constexpr std::string_view to_string(SlotState state) noexcept {
  switch (state) {
    case SlotState::free: return "FREE";
    case SlotState::pending: return "PENDING";
    case SlotState::ready: return "READY";
    case SlotState::error: return "ERROR";
  }
  return "?";
}

namespace detail {
class RingCore;
}

/// Names one accepted submission. A small value that may be copied and passed between threads; only the first
/// successful collect, visit or discard of any copy takes effect, and every later use is refused as stale. It owns
/// nothing: dropping it leaves the result in its slot.
class Ticket {
 public:
  /// A ticket of nothing, stale everywhere.
  constexpr Ticket() noexcept = default;

  [[nodiscard]] constexpr std::uint64_t ring() const noexcept { return ring_; }          ///< id of the ring, never 0
  [[nodiscard]] constexpr unsigned slot() const noexcept { return slot_; }               ///< slot index in the ring
  [[nodiscard]] constexpr std::uint64_t sequence() const noexcept { return sequence_; }  ///< number of the submission
  [[nodiscard]] constexpr std::size_t size() const noexcept { return bytes_; }           ///< length in bytes

  friend constexpr bool operator==(const Ticket&, const Ticket&) noexcept = default;

 private:
  friend class detail::RingCore;
  constexpr Ticket(std::uint64_t ring, unsigned slot, std::uint64_t sequence, std::size_t bytes) noexcept
      : ring_{ring}, sequence_{sequence}, bytes_{bytes}, slot_{slot} {}

  std::uint64_t ring_ = 0;
  std::uint64_t sequence_ = 0;
  std::size_t bytes_ = 0;
  unsigned slot_ = 0;
};

static_assert(std::is_trivially_copyable_v<Ticket>);

}  // namespace tailrace::inline TAILRACE_ABI
