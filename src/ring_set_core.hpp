// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/ring_set.hpp>

#include "src/device_fault.hpp"
#include "src/kept.hpp"
#include "src/logger.hpp"
#include "src/process.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tailrace::inline TAILRACE_ABI {

/// The rings of a set, found by capacity class and by id.
///
/// A class starts with one lane. A submitter (producer stream and thread) that is new to the class is given the next
/// lane in turn, which is made if the budget has room; it keeps that lane, so that its submissions stay in order. While
/// another lane is being made it shares one that is there, for now, and moves on when its last copy is over.
///
/// A ring is made in three steps: room is found and its bytes are put to the account, under the lock; it is allocated,
/// without; it is put into the tables, under the lock again. Of one class, one ring at a time is made.
///
/// Lock: tables_, never held over a driver call or user code, and released while a ring is made or ended. Handles are
/// copied under it only, so that whoever holds it exclusively and sees the set's own reference alone knows that nobody
/// is inside the ring.
class RingSet::Core {
 public:
  using Ring = std::shared_ptr<ReadbackRing>;

  Core(Device device, RingSetOptions options, std::shared_ptr<detail::DeviceFault> fault);
  ~Core() = default;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  /// Lets `enqueue` submit to the lane of the calling thread, which is made if need be.
  template <class Enqueue>
  auto submit(const DeviceView& source, StreamRef producer, const Enqueue& enqueue) {
    const Ring ring = lane_for(source, producer);
    auto ticket = enqueue(*ring);
    if (for_now_.load(std::memory_order_relaxed) != 0) note_last(source, producer, ticket);
    return ticket;
  }
  /// The first lane of the class, made if need be.
  Ring first_lane(std::size_t bytes);
  Ring existing(std::size_t bytes) const;
  Ring owner(const Ticket& ticket, const char* operation) const;
  std::vector<Ring> all() const;
  std::size_t poll();
  CloseReport close(std::chrono::nanoseconds bound);
  /// Closes all rings and ends those that nobody else has a handle of, with one deadline for all.
  void end(std::chrono::steady_clock::time_point deadline) noexcept;
  /// The end of a set: the same with the bound of the options, and destroys it. In a forked child and once process exit
  /// has begun it is kept as it is.
  static void end(std::unique_ptr<Core> core) noexcept;
  Statistics statistics() const;

  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] unsigned slots_per_ring() const noexcept { return slots_; }
  [[nodiscard]] std::size_t budget() const noexcept { return budget_; }
  /// Bytes of all rings, those that are being made or ended included.
  [[nodiscard]] std::size_t held() const noexcept { return held_.load(std::memory_order_relaxed); }

 private:
  // Threads that share a producer stream are submitters of their own, since they would share a submit lock.
  struct Submitter {
    native_stream stream;
    std::thread::id thread;
    bool operator==(const Submitter&) const noexcept = default;
  };
  struct Hash {
    std::size_t operator()(const Submitter& s) const noexcept {
      return std::hash<native_stream>{}(s.stream) * 31 + std::hash<std::thread::id>{}(s.thread);
    }
  };
  struct Lane {
    Ring ring;
    std::size_t capacity = 0;
    std::atomic<std::uint64_t> last_use{0};
  };
  struct Assignment {
    Lane* lane = nullptr;
    bool for_now = false;          // made while no lane could be: changes once what was submitted last is over
    std::optional<Ticket> last{};  // of one for now
  };
  struct Class {
    std::vector<std::unique_ptr<Lane>> lanes;
    std::unordered_map<Submitter, Assignment, Hash> lane_of;
    std::size_t turn = 0;
    bool being_made = false;  // a lane is
  };
  using Lock = std::unique_lock<std::shared_mutex>;
  class Making;
  class Teller;

  // Under tables_.
  Ring use(Lane& lane) const noexcept;
  Lane* find(std::size_t capacity, const Submitter& who) const;
  Ring share(Class& rings, const Submitter& who, bool for_now = false);
  void assign(Class& rings, const Submitter& who, const Assignment& assignment);
  static bool idle(const Lane& lane) noexcept;
  static bool sole(const Ring& ring) noexcept;  // no other handle is out
  Lane& insert(std::unique_ptr<Lane>& lane, const char* operation);
  unsigned slots_for_further_lane(std::size_t capacity) const;
  std::unique_ptr<Lane> take_out_oldest_idle();
  std::size_t idle_bytes() const;
  std::size_t class_bytes(std::size_t capacity) const;

  // Called with the lock held, and released in between.
  Lane* make(Lock& lock, std::size_t capacity, const char* operation);
  unsigned slots_for_first_lane(Lock& lock, std::size_t capacity, const char* operation);
  void give_up(Lock& lock, std::unique_ptr<Lane> lane) noexcept;

  // Without the lock.
  Ring lane_for(const DeviceView& source, StreamRef producer);
  void note_last(const DeviceView& source, StreamRef producer, const std::optional<Ticket>& ticket);
  std::unique_ptr<Lane> build(std::size_t capacity, unsigned slots) const;
  void check_open(const char* operation) const;
  void check_device(const char* operation) const;
  [[noreturn]] static void refuse_closed(const char* operation);

  const Device device_;
  const RingSetOptions options_;
  const detail::Logger logger_;
  const unsigned slots_;
  const std::size_t budget_;
  const detail::ProcessGuard process_;
  const std::shared_ptr<detail::DeviceFault> fault_;
  std::atomic<bool> closed_{false};
  std::atomic<std::size_t> held_{0};
  std::atomic<std::size_t> for_now_{0};  // assignments that are for now

  mutable std::shared_mutex tables_;     // of everything below
  std::condition_variable_any changed_;  // a ring was made or ended, or the set was closed
  unsigned making_ = 0;                  // rings that are being made
  unsigned ending_ = 0;                  // rings that are being ended to make room
  std::map<std::size_t, Class> classes_;
  std::unordered_map<std::uint64_t, Lane*> by_id_;
  Statistics given_up_;  // what the rings that were given up had counted
  mutable std::atomic<std::uint64_t> uses_{0};

  friend class detail::Kept<Core>;
  Core* next_kept_ = nullptr;
};

}  // namespace tailrace::inline TAILRACE_ABI
