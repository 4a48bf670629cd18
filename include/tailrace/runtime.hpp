// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>
#include <tailrace/copy_streams.hpp>
#include <tailrace/devices.hpp>
#include <tailrace/ring_set.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tailrace::inline TAILRACE_ABI {

/// How large arrays are read.
struct ReadOptions {
  /// Copy the source on the device first, in the producer's stream, so that work enqueued on it afterwards may
  /// overwrite the source at once (work on another stream: see Runtime::guard_source()). Costs device memory of the
  /// region's size, bounded by RuntimeOptions::snapshot_limit.
  bool snapshot = false;
};

/// How a runtime is made.
struct RuntimeOptions {
  RingSetOptions rings{};                          ///< small results
  CopyStreamsOptions copy_streams{};               ///< tagged jobs; its arena also copies the pieces of large reads
  std::size_t chunk_bytes = std::size_t{8} << 20;  ///< large reads: most bytes of a chunk, at least 4096
  unsigned chunk_slots = 5;                        ///< large reads: pinned chunks of one transfer, clamped to 2…256
  unsigned transfers = 2;  ///< large reads under way at once, each with its own chunks; clamped to 1…16
  std::size_t snapshot_limit = std::size_t{1} << 30;  ///< bytes of device memory for snapshots, all together
  std::chrono::nanoseconds close_bound = std::chrono::seconds{10};
  LogHandler log{};  ///< used where `rings` and `copy_streams` name none
  /// The runtime is made only if the device passes require_self_test(); empty: TAILRACE_SELF_TEST, else false.
  std::optional<bool> self_test{};
};

/// Counters of large reads, and those of the parts.
struct RuntimeStatistics {
  Statistics rings{};              ///< the ring set
  Statistics chunks{};             ///< the rings of large reads
  std::uint64_t reads = 0;         ///< large reads that completed
  std::uint64_t read_errors = 0;   ///< large reads that failed
  std::uint64_t read_bytes = 0;    ///< bytes of completed large reads
  std::uint64_t direct_reads = 0;  ///< of these reads, those written by DMA directly into pinned memory
  std::uint64_t snapshots = 0;     ///< snapshots taken
  std::size_t snapshot_bytes = 0;  ///< device memory held for snapshots (now)
};

/// Everything for one device in one object: small results, large arrays, and host work under tags.
///
/// Thread safety, and the exceptions that every member may throw, as for ReadbackRing. Owners are move-only; the object
/// may be used from any thread whatever its current device.
class TAILRACE_EXPORT Runtime {
 public:
  /// Allocates nothing on the device yet. @throws Error as RingSet and CopyStreams
  /// @throws Error (Errc::self_test_failed, …) as require_self_test() if RuntimeOptions::self_test asks for it, and
  ///         (Errc::invalid_argument) for a bad TAILRACE_SELF_TEST
  explicit Runtime(Device device, RuntimeOptions options = {});
  /// close(close_bound), which joins running jobs without a bound; never throws. With a read or guard_source() still
  /// inside after that, everything is kept until the process ends, with one logged warning.
  ~Runtime();
  Runtime(Runtime&&) noexcept;
  Runtime& operator=(Runtime&&) noexcept;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard]] Device device() const;
  [[nodiscard]] RingSet& rings() const;             ///< lives as long as the runtime
  [[nodiscard]] CopyStreams& copy_streams() const;  ///< lives as long as the runtime

  // Small results: the members of RingSet of the same names.
  [[nodiscard]] Ticket submit(const DeviceView& source, StreamRef producer) { return rings().submit(source, producer); }
  [[nodiscard]] std::optional<Ticket> try_submit(const DeviceView& source, StreamRef producer) {
    return rings().try_submit(source, producer);
  }
  [[nodiscard]] Ticket submit_for(const DeviceView& source, StreamRef producer, std::chrono::nanoseconds timeout) {
    return rings().submit_for(source, producer, timeout);
  }
  [[nodiscard]] Ticket record(const DeviceView& source, StreamRef stream) { return rings().record(source, stream); }
  void arm(std::span<const Ticket> tickets, StreamRef stream) { rings().arm(tickets, stream); }
  void arm(const Ticket& ticket, StreamRef stream) { rings().arm(ticket, stream); }
  std::size_t poll() { return rings().poll(); }
  [[nodiscard]] SlotState state(const Ticket& ticket) { return rings().state(ticket); }
  SlotState wait(const Ticket& ticket) { return rings().wait(ticket); }
  SlotState wait_for(const Ticket& ticket, std::chrono::nanoseconds timeout) {
    return rings().wait_for(ticket, timeout);
  }
  std::size_t wait_all(std::span<const Ticket> tickets) { return rings().wait_all(tickets); }
  template <class F>
  decltype(auto) visit(const Ticket& ticket, F&& f) {
    return rings().visit(ticket, std::forward<F>(f));
  }
  template <class T, class F>
  decltype(auto) visit(const Ticket& ticket, F&& f) {
    return rings().visit<T>(ticket, std::forward<F>(f));
  }
  template <class F>
  bool try_visit(const Ticket& ticket, F&& f) {
    return rings().try_visit(ticket, std::forward<F>(f));
  }
  template <class T, class F>
  bool try_visit(const Ticket& ticket, F&& f) {
    return rings().try_visit<T>(ticket, std::forward<F>(f));
  }
  std::size_t collect(const Ticket& ticket, std::span<std::byte> destination) {
    return rings().collect(ticket, destination);
  }
  template <class T>
  std::size_t collect(const Ticket& ticket, std::vector<T>& destination) {
    return rings().collect(ticket, destination);
  }
  [[nodiscard]] std::vector<std::byte> collect(const Ticket& ticket) { return rings().collect(ticket); }
  std::optional<std::size_t> try_collect(const Ticket& ticket, std::span<std::byte> destination) {
    return rings().try_collect(ticket, destination);
  }
  template <class T>
  std::optional<std::size_t> try_collect(const Ticket& ticket, std::vector<T>& destination) {
    return rings().try_collect(ticket, destination);
  }
  [[nodiscard]] std::optional<std::vector<std::byte>> try_collect(const Ticket& ticket) {
    return rings().try_collect(ticket);
  }
  void discard(const Ticket& ticket) { rings().discard(ticket); }
  void guard_source(const Ticket& ticket, StreamRef stream) { rings().guard_source(ticket, stream); }

  // Large arrays, any size, into memory that the caller owns.

  /// Reads @p source into @p destination, after all work that is on @p producer now, and returns when it is there.
  /// Destination memory that is pinned as a whole is written by DMA directly. Pages of other memory that are not there
  /// yet are made by the threads that copy into them, as far as possible many at once.
  /// @throws Error (Errc::buffer_too_small, null_source, region_overflow, wrong_device, wrong_memory, …) before
  /// anything
  ///         was written; Error with good_bytes() if it failed part-way: so many leading bytes are good
  void read(std::span<std::byte> destination, const DeviceView& source, StreamRef producer, ReadOptions options = {});
  /// The same under a tag, without waiting. The destination must stay alive, and the source unchanged, until
  /// async_wait() returned (see guard_source() and ReadOptions::snapshot for the source).
  /// @throws Error (Errc::tag_in_flight), or for bad arguments as read(); what fails later is thrown by async_wait()
  void async_read(std::string_view tag, std::span<std::byte> destination, const DeviceView& source, StreamRef producer,
                  ReadOptions options = {});
  /// Typed destinations: spans and vectors of trivially copyable elements.
  template <class T, std::size_t N>
    requires(!std::is_same_v<T, std::byte> && !std::is_const_v<T>)
  void read(std::span<T, N> destination, const DeviceView& source, StreamRef producer, ReadOptions options = {}) {
    static_assert(std::is_trivially_copyable_v<T>, "bytes of a device array can only become such objects");
    read(std::as_writable_bytes(destination), source, producer, options);
  }
  template <class T>
  void read(std::vector<T>& destination, const DeviceView& source, StreamRef producer, ReadOptions options = {}) {
    read(std::span{destination}, source, producer, options);
  }
  template <class T, std::size_t N>
    requires(!std::is_same_v<T, std::byte> && !std::is_const_v<T>)
  void async_read(std::string_view tag, std::span<T, N> destination, const DeviceView& source, StreamRef producer,
                  ReadOptions options = {}) {
    static_assert(std::is_trivially_copyable_v<T>, "bytes of a device array can only become such objects");
    async_read(tag, std::as_writable_bytes(destination), source, producer, options);
  }
  template <class T>
  void async_read(std::string_view tag, std::vector<T>& destination, const DeviceView& source, StreamRef producer,
                  ReadOptions options = {}) {
    async_read(tag, std::span{destination}, source, producer, options);
  }
  /// Blocks until the last chunk of the read is enqueued; work enqueued on @p stream after this call then starts only
  /// when the source has been read. Never blocks for a snapshot, whose source is read by the copy into it, and returns
  /// at once for a finished read.
  /// @throws Error (Errc::copy_failed) if the read failed and whether the source is still being read is not known
  /// @throws Error (Errc::unknown_tag, stream_capturing, …)
  void guard_source(std::string_view tag, StreamRef stream);

  // Host work under a tag: the members of CopyStreams. Loads and reads share one name space of tags.
  template <class F>
  void async_load(std::string_view tag, F&& f) {
    copy_streams().async_load(tag, std::forward<F>(f));
  }
  void async_wait(std::string_view tag) { copy_streams().async_wait(tag); }
  [[nodiscard]] bool finished(std::string_view tag) const { return copy_streams().finished(tag); }
  template <class Copy, class Compute>
  void overlap_copy_compute(std::string_view tag, Copy&& copy, Compute&& compute) {
    copy_streams().overlap_copy_compute(tag, std::forward<Copy>(copy), std::forward<Compute>(compute));
  }

  /// Closes reads, tags and rings, in that order, with @p bound for reads and rings together. Tagged jobs that run are
  /// joined however long they take, as by CopyStreams::close(); those that have not started are dropped.
  /// In the report, `in_flight` counts also what reads have left: copies into chunks, and copies of reads that ended
  /// without proof that these are over, whose destination or snapshot may still be written. `drained` is false also if
  /// a read or guard_source() is still inside a call that blocks.
  CloseReport close(std::chrono::nanoseconds bound);
  [[nodiscard]] RuntimeStatistics statistics() const;

 private:
  class Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tailrace::inline TAILRACE_ABI
