// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>
#include <tailrace/devices.hpp>
#include <tailrace/log.hpp>
#include <tailrace/statistics.hpp>
#include <tailrace/stream.hpp>
#include <tailrace/ticket.hpp>
#include <tailrace/view.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tailrace::inline TAILRACE_ABI {

/// How a blocked call waits.
enum class WaitMode : std::uint8_t {
  sleep,  ///< spin for some microseconds, then sleep between polls: a small fraction of a core, up to 0.5 ms late
  spin    ///< poll without a pause: lowest latency, one core per waiting thread
};

namespace detail {

/// Exclusive hold of one READY slot: gives it back as FREE when it ends, or as READY after keep().
class TAILRACE_EXPORT SlotClaim {
 public:
  SlotClaim() noexcept = default;
  SlotClaim(SlotClaim&& other) noexcept;
  SlotClaim& operator=(SlotClaim&&) = delete;
  SlotClaim(const SlotClaim&) = delete;
  SlotClaim& operator=(const SlotClaim&) = delete;
  ~SlotClaim();
  explicit operator bool() const noexcept { return core_ != nullptr; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  void keep() noexcept;

 private:
  friend class RingCore;
  SlotClaim(RingCore& core, unsigned slot, std::span<const std::byte> bytes) noexcept;
  RingCore* core_ = nullptr;
  unsigned slot_ = 0;
  std::span<const std::byte> bytes_;
};

}  // namespace detail

/// Where the slots' memory comes from, for callers who manage pinned memory themselves. The memory must be pinned
/// (page-locked, known to the driver): anything else is refused, never used. It must also be coherent and cacheable,
/// which the driver cannot be asked about: the caller answers for it. Both functions are called with the ring's device
/// current, allocate() only from the ring's constructor.
class TAILRACE_EXPORT PinnedSource {
 public:
  virtual ~PinnedSource();
  /// @returns @p bytes bytes, aligned to 256; may throw, or return null for "no memory"
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  /// Takes back what allocate() gave, once no copy can write to it any more.
  virtual void deallocate(void* memory, std::size_t bytes) noexcept = 0;
};

/// How a ring is made. The defaults suit small results.
struct RingOptions {
  std::string name = "ring";    ///< used in errors and log messages
  unsigned slots = 256;         ///< clamped to 2…256
  std::size_t capacity = 4096;  ///< bytes of a slot, fixed for the ring's life; 0 becomes 4
  int stream_priority = 0;      ///< of the ring's own copy stream, as the vendor counts; clamped to what there is
  std::optional<StreamRef> copy_stream{};         ///< instead of an own one, not per_thread(); must outlive the ring
  std::shared_ptr<PinnedSource> pinned_source{};  ///< empty: the library's own memory
  WaitMode wait_mode = WaitMode::sleep;
  std::chrono::nanoseconds close_bound = std::chrono::seconds{10};  ///< how long the destructor waits for copies
  LogHandler log{};                                                 ///< empty: default_log()
};

/// What close() found when it ended.
struct CloseReport {
  bool drained = true;          ///< every copy is proven over; if false, their memory is kept until the process ends
  std::size_t in_flight = 0;    ///< copies not proven over
  std::size_t uncollected = 0;  ///< results that are READY and were never collected
  std::size_t failed = 0;       ///< errors that were never collected
};

/// A ring of pinned host slots, filled by asynchronous device-to-host copies on a stream of its own.
///
/// The life of a readback:
///  1. submit() orders the ring's copy stream after the producer's stream, enqueues the copy into the next slot and
///     returns a Ticket. The slot is PENDING. Nothing waits.
///  2. poll(), or any call that looks at the ticket, finds by event query that the copy is over. The slot is READY.
///  3. visit() or collect() takes the bytes; the slot is FREE again. discard() gives them up.
///
/// If a copy cannot be proven complete its slot is ERROR: collecting the ticket throws the native error once, and the
/// bytes are never handed out. Slots are used in turn; a submission that meets a slot which is not FREE is refused and
/// changes nothing. A READY slot is never recycled, however old it is.
///
/// Copies of one ring are in order, so that one producer that stalls holds up those submitted after it. Use another
/// ring for independent work.
///
/// Thread safety: every member is safe from any thread, at the same time, including close(). Only moving and destroying
/// the object need exclusive access, except that threads blocked in a wait when it is destroyed are woken with
/// Errc::closed first. Do not destroy a ring from inside a visitor of the same ring.
///
/// Every member may throw Error with Errc::forked (used in a forked child), Errc::exiting (process exit has begun) or
/// Errc::closed (moved-from object); this is not repeated below. The calling thread's current device and capture mode
/// are left as found, and so is the vendor's last error unless a call of the library itself fails.
class TAILRACE_EXPORT ReadbackRing {
 public:
  /// Allocates everything the ring will ever need: pinned slots, copy stream and events. The slots of a ring of 16 MiB
  /// and more are in a slab where the vendor permits it (Statistics::slab_bytes): memory of huge pages that several
  /// threads touch, for the length of this call, and that is not in forked children.
  /// @throws Error (Errc::invalid_argument, region_overflow, stream_capturing, out_of_pinned_memory, wrong_memory,
  ///         wrong_device, no_device, driver_error, device_lost); nothing is left allocated then
  /// @throws Error (Errc::out_of_pinned_memory), without touching any, if a slab needs more memory than the machine and
  ///         the process's control groups have left
  explicit ReadbackRing(Device device, RingOptions options = {});
  /// close(close_bound), then frees everything that is proven to be no longer written. What is not is kept, knowingly.
  /// Never throws. Logs one warning if results were never collected.
  ~ReadbackRing();
  ReadbackRing(ReadbackRing&&) noexcept;
  ReadbackRing& operator=(ReadbackRing&&) noexcept;
  ReadbackRing(const ReadbackRing&) = delete;
  ReadbackRing& operator=(const ReadbackRing&) = delete;

  [[nodiscard]] std::uint64_t id() const;  ///< unique in the process; what Ticket::ring() says
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] Device device() const;
  [[nodiscard]] unsigned slots() const;
  [[nodiscard]] std::size_t capacity() const;      ///< bytes of a slot
  [[nodiscard]] std::size_t pinned_bytes() const;  ///< pinned memory really allocated, in bytes

  // Submitting.

  /// Enqueues the copy of @p source into the next slot, after all work that is on @p producer now, and returns at once.
  /// The source must stay unchanged until the copy has read it; see guard_source().
  /// Zero bytes are READY at once, without a device call.
  /// @throws Error (Errc::slot_pending, slot_ready, slot_error, slot_reading, slot_discarded, slot_quarantined,
  ///         slot_unarmed, slot_promised) if the next slot is not free
  /// @throws Error (Errc::null_source, invalid_argument for pitches that do not fit the region, region_overflow,
  ///         exceeds_slot, unsupported for a pitch of 2 GiB and more, wrong_device, wrong_memory, stream_capturing,
  ///         closed, device_lost, driver_error)
  /// A submission that throws consumes neither slot nor sequence number.
  [[nodiscard]] Ticket submit(const DeviceView& source, StreamRef producer);
  /// submit(), but answers nullopt if the next slot is PENDING, READY, being read, or promised to a submit_for().
  /// @throws Error as submit() for everything else, a slot in ERROR, discarded or quarantined included
  [[nodiscard]] std::optional<Ticket> try_submit(const DeviceView& source, StreamRef producer);
  /// submit(), but waits up to @p timeout for the next slot, first come first served.
  /// @throws Error (Errc::timed_out) naming the slot that never came free, or as submit()
  [[nodiscard]] Ticket submit_for(const DeviceView& source, StreamRef producer, std::chrono::nanoseconds timeout);

  /// First of two steps: enqueues the copy on @p stream itself, without an order to any other stream. The ticket
  /// cannot be waited for or collected until arm() was called. @throws Error as submit()
  [[nodiscard]] Ticket record(const DeviceView& source, StreamRef stream);
  /// Second step: makes tickets of record() collectable, with one event on @p stream, the stream of every record. The
  /// per-thread default stream is the same one only on the thread that recorded.
  /// Tickets of zero bytes are READY and need no arming.
  /// @throws Error (Errc::already_armed, stale_ticket, invalid_argument for another stream, stream_capturing,
  ///         wrong_device, device_lost, driver_error), std::bad_alloc; then no ticket of the span was armed
  void arm(std::span<const Ticket> tickets, StreamRef stream);
  void arm(const Ticket& ticket, StreamRef stream) { arm(std::span{&ticket, 1}, stream); }

  // Completion.

  /// Moves every slot whose copy is over, or has failed, out of PENDING. @returns how many moved. Takes no lock that a
  /// submission holds.
  std::size_t poll();
  /// The state of the ticket's slot, after looking at its completion. Consumes nothing. FREE: the ticket was used.
  /// @throws Error (Errc::stale_ticket) if it is not a ticket of this ring
  [[nodiscard]] SlotState state(const Ticket& ticket);
  /// Blocks until the ticket is READY or ERROR and returns which. Consumes nothing.
  /// @throws Error (Errc::stale_ticket, not_armed, closed)
  SlotState wait(const Ticket& ticket);
  /// The same for at most @p timeout (steady clock); PENDING if the time ran out.
  SlotState wait_for(const Ticket& ticket, std::chrono::nanoseconds timeout);
  /// wait() for each. @returns how many are ERROR
  std::size_t wait_all(std::span<const Ticket> tickets);

  // Collecting. Each takes the ticket's bytes once and frees the slot.

  /// Waits, calls `f(std::span<const std::byte>)` with the bytes in the slot itself, and returns what f returns. The
  /// span is valid only inside f. f may submit, collect other tickets, block, and throw: then the slot is freed and the
  /// exception passes. No lock is held while f runs.
  /// @throws Error (Errc::copy_failed, with the native code, once; Errc::stale_ticket, not_armed, closed)
  template <class F>
  decltype(auto) visit(const Ticket& ticket, F&& f) {
    detail::SlotClaim claim = wait_and_claim(ticket, 1);
    return std::forward<F>(f)(claim.bytes());
  }
  /// The same with the bytes as `std::span<const T>`.
  /// @throws Error (Errc::size_mismatch) if the length is not a multiple of sizeof(T); the slot stays READY
  template <class T, class F>
  decltype(auto) visit(const Ticket& ticket, F&& f) {
    detail::SlotClaim claim = wait_and_claim(ticket, element<T>());
    return std::forward<F>(f)(as<T>(claim.bytes()));
  }
  /// visit() that never blocks. @returns false, without calling f, if the ticket is still PENDING
  template <class F>
  bool try_visit(const Ticket& ticket, F&& f) {
    detail::SlotClaim claim = try_claim(ticket, 1);
    if (!claim) return false;
    std::forward<F>(f)(claim.bytes());
    return true;
  }
  /// The same, typed.
  template <class T, class F>
  bool try_visit(const Ticket& ticket, F&& f) {
    detail::SlotClaim claim = try_claim(ticket, element<T>());
    if (!claim) return false;
    std::forward<F>(f)(as<T>(claim.bytes()));
    return true;
  }

  /// Waits and copies the bytes to @p destination. @returns the length in bytes
  /// @throws Error (Errc::buffer_too_small): the slot stays READY; or as visit()
  std::size_t collect(const Ticket& ticket, std::span<std::byte> destination);
  /// Waits and replaces the content of @p destination, reusing its capacity. @returns the length in bytes
  /// @throws std::bad_alloc: the slot stays READY; Error as visit<T>()
  template <class T>
  std::size_t collect(const Ticket& ticket, std::vector<T>& destination) {
    return take(wait_and_claim(ticket, element<T>()), destination);
  }
  /// Waits and returns the bytes.
  [[nodiscard]] std::vector<std::byte> collect(const Ticket& ticket) {
    std::vector<std::byte> bytes;
    collect(ticket, bytes);
    return bytes;
  }
  /// The forms of collect() that never block: nullopt if the ticket is still PENDING.
  std::optional<std::size_t> try_collect(const Ticket& ticket, std::span<std::byte> destination);
  template <class T>
  std::optional<std::size_t> try_collect(const Ticket& ticket, std::vector<T>& destination) {
    detail::SlotClaim claim = try_claim(ticket, element<T>());
    if (!claim) return std::nullopt;
    return take(std::move(claim), destination);
  }
  [[nodiscard]] std::optional<std::vector<std::byte>> try_collect(const Ticket& ticket) {
    std::vector<std::byte> bytes;
    if (!try_collect(ticket, bytes)) return std::nullopt;
    return bytes;
  }

  /// Gives the ticket up: its slot is FREE once its copy is over. @throws Error (Errc::stale_ticket, not_armed)
  void discard(const Ticket& ticket);
  /// Work enqueued on @p stream after this call starts only when the ticket's source has been read, so that it may
  /// overwrite or free the source. Does not block. @throws Error (Errc::stale_ticket, not_armed, copy_failed,
  ///         stream_capturing, wrong_device, driver_error)
  void guard_source(const Ticket& ticket, StreamRef stream);

  // Ending.

  /// Refuses new submissions, wakes every blocked caller with Errc::closed, and waits up to @p bound for copies in
  /// flight. READY and ERROR tickets can still be collected afterwards. May be called again.
  CloseReport close(std::chrono::nanoseconds bound);

  [[nodiscard]] Statistics statistics() const;

 private:
  friend class RingSet;

  explicit ReadbackRing(std::unique_ptr<detail::RingCore> core) noexcept;
  detail::RingCore& core() const;
  void check_room(const Ticket& ticket, std::size_t room);
  detail::SlotClaim wait_and_claim(const Ticket& ticket, std::size_t element_size);
  detail::SlotClaim try_claim(const Ticket& ticket, std::size_t element_size);

  template <class T>
  static constexpr std::size_t element() {
    static_assert(std::is_trivially_copyable_v<T>, "bytes of a readback can only become trivially copyable objects");
    static_assert(alignof(T) <= 256, "slots are aligned to 256 bytes");
    return sizeof(T);
  }
  template <class T>
  static std::span<const T> as(std::span<const std::byte> bytes) noexcept {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  static std::size_t take(detail::SlotClaim claim, std::vector<T>& destination) {
    const std::span<const T> values = as<T>(claim.bytes());
    try {
      destination.assign(values.begin(), values.end());
    } catch (...) {
      claim.keep();
      throw;
    }
    return claim.bytes().size();
  }

  std::unique_ptr<detail::RingCore> core_;
};

static_assert(!std::is_copy_constructible_v<ReadbackRing> && std::is_nothrow_move_constructible_v<ReadbackRing>);

}  // namespace tailrace::inline TAILRACE_ABI
