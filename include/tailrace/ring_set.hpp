// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>
#include <tailrace/devices.hpp>
#include <tailrace/ring.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tailrace::inline TAILRACE_ABI {

/// How a ring set is made.
struct RingSetOptions {
  std::string name = "ring set";  ///< prefix of its rings' names
  /// Slots of a ring, clamped to 2…256; empty: TAILRACE_RING_SLOTS, else 256.
  std::optional<unsigned> slots_per_ring{};
  /// Bytes of pinned memory that all rings of the set may hold together; empty: TAILRACE_PINNED_BUDGET, else
  /// default_pinned_budget().
  std::optional<std::size_t> pinned_budget{};
  unsigned lanes = 4;  ///< rings of one class at most, for threads that submit at once; clamped to 1…64
  int stream_priority = 0;
  std::shared_ptr<PinnedSource> pinned_source{};
  WaitMode wait_mode = WaitMode::sleep;
  std::chrono::nanoseconds close_bound = std::chrono::seconds{10};
  LogHandler log{};
};

/// Result of parsing a setting: the value to use, and a warning if the text was not taken as it stands.
struct ParsedSlots {
  unsigned slots = 256;
  std::string warning{};  ///< empty if there is nothing to say
};
/// The parser of TAILRACE_RING_SLOTS, without touching the environment. Unset (nullopt) → 256; 0 → 2 with a warning;
/// 1 → 2; 2…256 as they are; above → 256 with a warning; anything else → 256 with a warning.
[[nodiscard]] TAILRACE_EXPORT ParsedSlots parse_ring_slots(std::optional<std::string_view> text);
/// The parser of TAILRACE_PINNED_BUDGET: a whole number of bytes, or with one of the suffixes K, M, G, T (powers of
/// 1024). @throws Error (Errc::invalid_argument) for anything else, 0 and overflow included
[[nodiscard]] TAILRACE_EXPORT std::size_t parse_pinned_budget(std::string_view text);
/// 1/32 of the memory that this process may use (physical memory, or its control group's limit), at most 1 GiB and at
/// least 16 MiB: eight ranks of a node take a quarter of it together.
[[nodiscard]] TAILRACE_EXPORT std::size_t default_pinned_budget();
/// The capacity class of a length: the next multiple of 4096 (1 → 4096, 4097 → 8192; 0 → 4096). The waste is thus below
/// 4096 bytes a slot. @throws Error (Errc::region_overflow)
[[nodiscard]] TAILRACE_EXPORT std::size_t capacity_class(std::size_t bytes);

/// Rings of all sizes, made on demand and bounded by one pinned budget.
///
/// A submission goes to the ring of its capacity class; of several lanes of a class, to the one that its producer
/// stream, and then its thread, was given, so that threads submitting at once do not queue behind one copy stream. Two
/// submissions are in order if they have the same class, producer stream and thread.
///
/// A new ring takes as many slots as fit, and a class never more than a quarter of the budget unless two slots need it.
/// If the budget is used up, idle rings (every slot FREE, no handle given out, no call inside) are given up, the one
/// that was idle longest first; their tickets become stale.
///
/// Thread safety and general exceptions as for ReadbackRing. A blocked allocation of a new ring does not hold up
/// submissions to, polls of and collections from rings that are there, nor the making of rings of other classes; those
/// who want the first ring of the same class wait for it.
class TAILRACE_EXPORT RingSet {
 public:
  /// Allocates nothing yet. @throws Error (Errc::invalid_argument) for a bad TAILRACE_PINNED_BUDGET or a budget of 0
  explicit RingSet(Device device, RingSetOptions options = {});
  ~RingSet();
  RingSet(RingSet&&) noexcept;
  RingSet& operator=(RingSet&&) noexcept;
  RingSet(const RingSet&) = delete;
  RingSet& operator=(const RingSet&) = delete;

  [[nodiscard]] Device device() const;
  /// The configured count; a ring may have fewer under the budget.
  [[nodiscard]] unsigned slots_per_ring() const;
  [[nodiscard]] std::size_t pinned_budget() const;  ///< bytes
  [[nodiscard]] std::size_t pinned_bytes() const;   ///< bytes held now, or being allocated
  [[nodiscard]] std::size_t rings() const;          ///< rings alive now

  /// The first ring of the class of @p bytes bytes, made if need be. The handle keeps it from being given up. @throws
  /// Error (Errc::region_overflow, budget_exceeded, out_of_pinned_memory, …)
  [[nodiscard]] std::shared_ptr<ReadbackRing> ring_for(std::size_t bytes);
  /// The same, but null instead of making one.
  [[nodiscard]] std::shared_ptr<ReadbackRing> existing_ring_for(std::size_t bytes) const;

  /// As the members of ReadbackRing of the same names, on the ring that the size or the ticket says.
  /// @throws Error (Errc::budget_exceeded), saying how much is held and how much of it is idle
  [[nodiscard]] Ticket submit(const DeviceView& source, StreamRef producer);
  [[nodiscard]] std::optional<Ticket> try_submit(const DeviceView& source, StreamRef producer);
  [[nodiscard]] Ticket submit_for(const DeviceView& source, StreamRef producer, std::chrono::nanoseconds timeout);
  [[nodiscard]] Ticket record(const DeviceView& source, StreamRef stream);
  /// Tickets of any rings of the set: those of each ring are armed together. If a ring refuses, those of the rings
  /// before it are armed.
  void arm(std::span<const Ticket> tickets, StreamRef stream);
  void arm(const Ticket& ticket, StreamRef stream) { arm(std::span{&ticket, 1}, stream); }
  std::size_t poll();
  [[nodiscard]] SlotState state(const Ticket& ticket);
  SlotState wait(const Ticket& ticket);
  SlotState wait_for(const Ticket& ticket, std::chrono::nanoseconds timeout);
  std::size_t wait_all(std::span<const Ticket> tickets);
  void discard(const Ticket& ticket);
  void guard_source(const Ticket& ticket, StreamRef stream);

  template <class F>
  decltype(auto) visit(const Ticket& ticket, F&& f) {
    return owner(ticket, "visit")->visit(ticket, std::forward<F>(f));
  }
  template <class T, class F>
  decltype(auto) visit(const Ticket& ticket, F&& f) {
    return owner(ticket, "visit")->template visit<T>(ticket, std::forward<F>(f));
  }
  template <class F>
  bool try_visit(const Ticket& ticket, F&& f) {
    return owner(ticket, "try_visit")->try_visit(ticket, std::forward<F>(f));
  }
  template <class T, class F>
  bool try_visit(const Ticket& ticket, F&& f) {
    return owner(ticket, "try_visit")->template try_visit<T>(ticket, std::forward<F>(f));
  }
  std::size_t collect(const Ticket& ticket, std::span<std::byte> destination);
  template <class T>
  std::size_t collect(const Ticket& ticket, std::vector<T>& destination) {
    return owner(ticket, "collect")->collect(ticket, destination);
  }
  [[nodiscard]] std::vector<std::byte> collect(const Ticket& ticket) {
    return owner(ticket, "collect")->collect(ticket);
  }
  std::optional<std::size_t> try_collect(const Ticket& ticket, std::span<std::byte> destination);
  template <class T>
  std::optional<std::size_t> try_collect(const Ticket& ticket, std::vector<T>& destination) {
    return owner(ticket, "try_collect")->try_collect(ticket, destination);
  }
  [[nodiscard]] std::optional<std::vector<std::byte>> try_collect(const Ticket& ticket) {
    return owner(ticket, "try_collect")->try_collect(ticket);
  }

  /// Closes every ring, with @p bound for all together; the sum of their reports.
  CloseReport close(std::chrono::nanoseconds bound);
  /// The sum over all rings, those given up included.
  [[nodiscard]] Statistics statistics() const;

 private:
  friend class Runtime;
  class Core;
  explicit RingSet(std::unique_ptr<Core> core) noexcept;
  /// The ring that made the ticket. @throws Error (Errc::stale_ticket)
  [[nodiscard]] std::shared_ptr<ReadbackRing> owner(const Ticket& ticket, const char* operation) const;
  [[nodiscard]] Core& core() const;
  std::unique_ptr<Core> core_;
};

}  // namespace tailrace::inline TAILRACE_ABI
