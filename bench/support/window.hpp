// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/ring.hpp>
#include <tailrace/ticket.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace bench {

/// Our way: at most `depth` readbacks in flight through a ReadbackRing or RingSet, taken oldest first. It has the
/// members of plain::EventRing, so that one loop drives either. For one thread.
template <class Ring>
class Window {
 public:
  Window(Ring& ring, std::size_t bytes, std::size_t depth) : ring_{ring}, bytes_{bytes}, tickets_(depth) {}

  [[nodiscard]] bool full() const noexcept { return submitted_ - read_ == tickets_.size(); }
  [[nodiscard]] bool empty() const noexcept { return submitted_ == read_; }
  void submit(const void* source, tailrace::StreamRef producer) {
    tickets_[submitted_ % tickets_.size()] = ring_.submit({source, bytes_}, producer);
    ++submitted_;
  }
  /// Takes the oldest readback if it has arrived.
  template <class F>
  bool try_take(F&& read) {
    const bool taken = ring_.try_visit(oldest(), [&](std::span<const std::byte> bytes) { read(bytes.data()); });
    if (taken) ++read_;
    return taken;
  }
  template <class F>
  void take(F&& read) {
    ring_.visit(oldest(), [&](std::span<const std::byte> bytes) { read(bytes.data()); });
    ++read_;
  }

 private:
  [[nodiscard]] const tailrace::Ticket& oldest() const noexcept { return tickets_[read_ % tickets_.size()]; }

  Ring& ring_;
  std::size_t bytes_;
  std::vector<tailrace::Ticket> tickets_;
  std::size_t submitted_ = 0;
  std::size_t read_ = 0;
};

/// Our two-step way: copies on the producer's own stream, made collectable by one event for `group` of them.
class RecordWindow {
 public:
  /// @p depth must be a multiple of @p group
  RecordWindow(tailrace::ReadbackRing& ring, std::size_t bytes, std::size_t depth, std::size_t group)
      : ring_{ring}, bytes_{bytes}, group_{group}, tickets_(depth) {}

  [[nodiscard]] bool full() const noexcept { return recorded_ - read_ == tickets_.size(); }
  [[nodiscard]] bool empty() const noexcept { return recorded_ == read_; }
  void submit(const void* source, tailrace::StreamRef stream) {
    stream_ = stream;
    tickets_[recorded_ % tickets_.size()] = ring_.record({source, bytes_}, stream);
    if (++recorded_ - armed_ == group_) arm();
  }
  template <class F>
  void take(F&& read) {
    if (read_ == armed_) arm();
    ring_.visit(tickets_[read_ % tickets_.size()], [&](std::span<const std::byte> bytes) { read(bytes.data()); });
    ++read_;
  }

 private:
  // A group that was armed early leaves the next ones unaligned: these may wrap, and are armed in two.
  void arm() {
    while (armed_ != recorded_) {
      const std::size_t first = armed_ % tickets_.size();
      const std::size_t count = std::min(recorded_ - armed_, tickets_.size() - first);
      ring_.arm(std::span{tickets_}.subspan(first, count), stream_);
      armed_ += count;
    }
  }

  tailrace::ReadbackRing& ring_;
  std::size_t bytes_;
  std::size_t group_;
  std::vector<tailrace::Ticket> tickets_;
  tailrace::StreamRef stream_ = tailrace::StreamRef::legacy();
  std::size_t recorded_ = 0;
  std::size_t armed_ = 0;
  std::size_t read_ = 0;
};

}  // namespace bench
