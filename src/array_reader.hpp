// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/runtime.hpp>

#include "src/chunk_lanes.hpp"
#include "src/process.hpp"
#include "src/snapshot_pool.hpp"
#include "src/tag_table.hpp"
#include "src/transfer.hpp"

#include <atomic>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

namespace tailrace::inline TAILRACE_ABI::detail {

/// Large arrays into ordinary memory. The blocking form is driven by its caller; the asynchronous form by one progress
/// thread, started at first use and asleep when there is nothing to do. Nothing waits for the GPU in a TBB task: the
/// arena is given ready pieces only.
///
/// Locks: mutex_ guards the list of new transfers, the thread and the deadline; it is never held over a driver call.
class ArrayReader {
 public:
  ArrayReader(Device device, const RuntimeOptions& options, std::shared_ptr<TagTable> tags,
              std::shared_ptr<DeviceFault> fault);
  ArrayReader(const ArrayReader&) = delete;
  ArrayReader& operator=(const ArrayReader&) = delete;
  /// close() was called, and nobody was inside.
  ~ArrayReader();

  void read(std::span<std::byte> destination, const DeviceView& view, StreamRef producer, ReadOptions options);
  void async_read(std::string_view tag, std::span<std::byte> destination, const DeviceView& view, StreamRef producer,
                  ReadOptions options);
  void guard_source(std::string_view tag, StreamRef stream);

  struct Closed {
    bool nobody_inside = false;  ///< the progress thread included
    std::size_t in_flight = 0;   ///< copies not proven over, into chunks, snapshots and destinations
  };
  /// Refuses new reads, lets those under way go on until the deadline, and abandons them then. May be called again.
  Closed close(Clock::time_point deadline) noexcept;
  void add_to(RuntimeStatistics& sum) const;

 private:
  struct Active {
    std::shared_ptr<Tag> tag;
    std::shared_ptr<Transfer> transfer;
  };
  class Inside;

  void check_open(const char* operation) const;
  Source check_arguments(std::span<std::byte> destination, const DeviceView& view, const char* operation) const;
  enum class DrivenBy : std::uint8_t { caller, progress_thread };
  std::shared_ptr<Transfer> start(std::span<std::byte> destination, const Source& source, StreamRef producer,
                                  ReadOptions options, DrivenBy driven_by);
  void hand_over(Active active);
  void drive(Transfer& transfer);
  bool advance(Transfer& transfer) noexcept;
  void progress() noexcept;
  bool take_started(std::list<Active>& active) noexcept;
  bool advance_all(std::list<Active>& active) noexcept;
  void finish(const Active& done) noexcept;
  [[nodiscard]] std::exception_ptr refused() const noexcept;
  void leave(const std::list<Active>& active) noexcept;
  void nap(unsigned idle_rounds, std::uint64_t epoch) noexcept;
  void count(const Transfer& transfer) noexcept;
  void tell_pending_messages() noexcept;
  void tell_kept() const noexcept;
  [[nodiscard]] bool past_deadline() const noexcept;

  const ProcessGuard process_;
  const std::shared_ptr<TagTable> tags_;
  const std::shared_ptr<DeviceFault> fault_;
  const Logger logger_;
  const std::shared_ptr<Wakeup> wakeup_;
  RingCounters counters_;
  const Driver driver_;
  EventPool events_;
  SnapshotPool snapshots_;
  ChunkLanes lanes_;
  const TransferContext context_;

  std::atomic<bool> used_{false};
  std::atomic<bool> closed_{false};
  std::atomic<Clock::time_point> deadline_{Clock::time_point::max()};  // of close()
  std::atomic<std::size_t> inside_{0};
  std::atomic<std::size_t> left_copies_{0};  // of reads that ended without proof that these are over
  std::atomic<bool> wrap_told_{false};
  struct {
    Counter reads, errors, bytes, direct, snapshots;
  } counts_;

  std::mutex mutex_;
  std::list<Active> started_;  // not seen by the progress thread yet
  std::thread progress_;
  bool stop_ = false;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
