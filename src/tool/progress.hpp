// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace tailrace::tool {

/// One line of a progress bar, at most @p columns characters long.
/// @param rate  a text for its end, "12 steps/s"; may be empty
[[nodiscard]] std::string progress_line(std::string_view label, std::uint64_t done, std::uint64_t total,
                                        std::string_view rate, std::size_t columns);

/// A bar on the stream's terminal that overwrites itself and is gone when the object is; nothing at all if the stream
/// is not a terminal.
class Progress {
 public:
  /// @param unit  what is done, "steps", for the rate at the end of the line; empty: no rate
  Progress(std::string label, std::uint64_t total, std::FILE* stream, std::string unit = "steps");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Cheap enough for every step: draws ten times a second at most.
  void update(std::uint64_t done) {
    if (visible_) draw_if_due(done);
  }

 private:
  using Clock = std::chrono::steady_clock;
  void draw_if_due(std::uint64_t done);

  std::string label_;
  std::uint64_t total_;
  std::FILE* stream_;
  std::string unit_;
  bool visible_;
  Clock::time_point start_;
  Clock::time_point next_draw_;
};

}  // namespace tailrace::tool
