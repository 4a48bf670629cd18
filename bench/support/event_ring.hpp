// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/stream.hpp>

#include "bench/support/plain.hpp"

#include <cstddef>
#include <vector>

namespace bench::plain {

/// The ring that a program writes by hand: pinned slots used in turn, a copy stream, and an event of each slot's own,
/// recorded behind its copy and queried until it is done. For one thread.
class EventRing {
 public:
  EventRing(std::size_t bytes, std::size_t depth, tailrace::StreamRef copy_stream)
      : bytes_{bytes}, depth_{depth}, stream_{copy_stream}, slots_{bytes * depth}, copied_(depth) {}

  [[nodiscard]] bool full() const noexcept { return submitted_ - read_ == depth_; }
  [[nodiscard]] bool empty() const noexcept { return submitted_ == read_; }

  /// Enqueues the copy of a slot's size after the work that is on the producer. Not to be called when full.
  void submit(const void* source, tailrace::StreamRef producer) {
    produced_.record(producer);
    produced_.hold_up(stream_);
    copy_async(slot(submitted_), source, bytes_, stream_);
    copied_[submitted_++ % depth_].record(stream_);
  }
  /// Whether the oldest readback has arrived. Not to be called when empty.
  [[nodiscard]] bool ready() const { return copied_[read_ % depth_].done(); }
  /// Waits for the oldest readback and has it read in place: `read(const std::byte*)`. Not to be called when empty.
  template <class F>
  void take(F&& read) {
    while (!ready()) {
    }
    read(slot(read_++));
  }

 private:
  [[nodiscard]] std::byte* slot(std::size_t i) const noexcept { return slots_.data() + i % depth_ * bytes_; }

  std::size_t bytes_;
  std::size_t depth_;
  tailrace::StreamRef stream_;
  Pinned slots_;
  Event produced_;
  std::vector<Event> copied_;
  std::size_t submitted_ = 0;
  std::size_t read_ = 0;
};

}  // namespace bench::plain
