// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/ticket.hpp>

#include "backends/adapter.hpp"
#include "src/sync.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace tailrace::inline TAILRACE_ABI::detail {

/// What a slot is really in. Users see four states (shown_as()).
enum class Phase : std::uint8_t {
  free,         ///< the next submission may take it
  unarmed,      ///< record() was called, arm() not yet
  pending,      ///< its copy is in flight
  ready,        ///< its copy is proven complete; nobody is reading it
  reading,      ///< a visitor or collector owns it
  error_open,   ///< failed; its copy is not proven over
  error_over,   ///< failed; its copy is proven over
  discarded,    ///< given up before its copy was proven over; no owner
  quarantined,  ///< its error was collected, and its copy is not proven over; no owner
};

/// One slot's life. Every change of phase stands here, as one compare-and-swap of sequence and phase together:
///
///     publish   free → pending | unarmed | ready (zero bytes)      the submitter
///     arm       unarmed → pending                                  arm()
///     prove     pending → ready, error_open → error_over,          completion: the copy is over
///               discarded → free, quarantined → free
///     fail      pending → error_open                               completion: it cannot be proven
///     lose      unarmed, pending → error_open                      completion: the device is lost
///     claim     ready → reading                                    visit, collect
///     release   reading → free          keep: reading → ready      visit, collect
///     give_up   pending → discarded, ready → free,                 discard
///               error_open → quarantined, error_over → free
///     settle    error_open → quarantined, error_over → free        collecting an error
///
/// A change named by a ticket carries the ticket's sequence number and does nothing if the slot has moved on, so that
/// no ticket can touch its successor. Only the submitter takes a free slot, and only completion ends `pending`,
/// `discarded` and `quarantined`.
class alignas(64) Slot {
 public:
  struct View {
    std::uint64_t tag = 0;  ///< the sequence number, without its top bits
    Phase phase = Phase::free;
    [[nodiscard]] bool of(std::uint64_t sequence) const noexcept { return tag == tag_of(sequence); }
  };
  /// What a change found: the phase before it. `changed` is false if the slot has moved on or the phase forbids it.
  struct Change {
    Phase before = Phase::free;
    bool changed = false;
    explicit operator bool() const noexcept { return changed; }
  };

  [[nodiscard]] View view() const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_acquire);
    return {.tag = word >> phase_bits, .phase = static_cast<Phase>(word & phase_mask)};
  }

  // The occupant, as the submitter described it; constant from publish() until the slot is free again.
  struct Occupant {
    std::uint64_t sequence = 0;
    native_stream recorded_on = nullptr;  ///< record(): the caller's stream; submit(): null
    std::thread::id recorded_by{};        ///< record(): the per-thread default stream is another one on every thread
  };
  [[nodiscard]] const Occupant& occupant() const noexcept { return occupant_; }

  /// The submitter only, and only if the slot is free: nobody else changes a free slot.
  void publish(const Occupant& occupant, Phase to) noexcept {
    occupant_ = occupant;
    word_.store(word(tag_of(occupant.sequence), to), std::memory_order_release);
  }
  Change arm(std::uint64_t sequence) noexcept {
    return change(sequence, [](Phase p) { return p == Phase::unarmed ? Phase::pending : p; });
  }
  Change prove(std::uint64_t sequence) noexcept {
    return change(sequence, [](Phase p) {
      switch (p) {
        case Phase::pending: return Phase::ready;
        case Phase::error_open: return Phase::error_over;
        case Phase::discarded:
        case Phase::quarantined: return Phase::free;
        default: return p;
      }
    });
  }
  Change fail(std::uint64_t sequence, backend::Status status) noexcept {
    return failed(sequence, status, [](Phase p) { return p == Phase::pending ? Phase::error_open : p; });
  }
  Change lose(std::uint64_t sequence, backend::Status status) noexcept {
    return failed(sequence, status,
                  [](Phase p) { return p == Phase::pending || p == Phase::unarmed ? Phase::error_open : p; });
  }
  Change claim(std::uint64_t sequence) noexcept {
    return change(sequence, [](Phase p) { return p == Phase::ready ? Phase::reading : p; });
  }
  /// By the claim's owner.
  void release() noexcept { leave_reading(Phase::free); }
  void keep() noexcept { leave_reading(Phase::ready); }
  Change give_up(std::uint64_t sequence) noexcept {
    return change(sequence, [](Phase p) {
      switch (p) {
        case Phase::pending: return Phase::discarded;
        case Phase::ready: return Phase::free;
        default: return settled(p);
      }
    });
  }
  /// Ends an error; `status` is what failed.
  Change settle(std::uint64_t sequence, backend::Status& status) noexcept {
    status = error_.load(std::memory_order_relaxed);  // of this sequence, if the change below succeeds
    return change(sequence, settled);
  }

 private:
  static constexpr unsigned phase_bits = 4;
  static constexpr std::uint64_t phase_mask = (1U << phase_bits) - 1;
  static std::uint64_t tag_of(std::uint64_t sequence) noexcept { return sequence & (~std::uint64_t{0} >> phase_bits); }
  static std::uint64_t word(std::uint64_t tag, Phase phase) noexcept {
    return tag << phase_bits | static_cast<std::uint64_t>(phase);
  }
  static Phase settled(Phase p) noexcept {
    switch (p) {
      case Phase::error_open: return Phase::quarantined;
      case Phase::error_over: return Phase::free;
      default: return p;
    }
  }
  template <class Next>
  Change failed(std::uint64_t sequence, backend::Status status, Next next) noexcept {
    // An error that is there already keeps its first cause.
    if (const View now = view(); !now.of(sequence) || next(now.phase) == now.phase) return {.before = now.phase};
    error_.store(status, std::memory_order_relaxed);  // read only after the phase below was seen
    return change(sequence, next);
  }
  template <class Next>
  Change change(std::uint64_t sequence, Next next) noexcept {
    const std::uint64_t tag = tag_of(sequence);
    std::uint64_t now = word_.load(std::memory_order_acquire);
    for (;;) {
      const auto phase = static_cast<Phase>(now & phase_mask);
      const Phase to = next(phase);
      if (now >> phase_bits != tag || to == phase) return {.before = phase};
      if (word_.compare_exchange_weak(now, word(tag, to), std::memory_order_acq_rel, std::memory_order_acquire)) {
        return {.before = phase, .changed = true};
      }
    }
  }
  void leave_reading(Phase to) noexcept {
    word_.store(word(tag_of(occupant_.sequence), to), std::memory_order_release);
  }

  Atomic<std::uint64_t> word_{0};
  Atomic<backend::Status> error_{};
  Occupant occupant_;
};

[[nodiscard]] constexpr bool is_error(Phase phase) noexcept {
  return phase == Phase::error_open || phase == Phase::error_over;
}

/// The public state of a phase.
[[nodiscard]] constexpr SlotState shown_as(Phase phase) noexcept {
  switch (phase) {
    case Phase::unarmed:
    case Phase::pending: return SlotState::pending;
    case Phase::ready:
    case Phase::reading: return SlotState::ready;
    case Phase::error_open:
    case Phase::error_over: return SlotState::error;
    case Phase::free:
    case Phase::discarded:
    case Phase::quarantined: break;
  }
  return SlotState::free;
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
