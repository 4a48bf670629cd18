// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "progress.hpp"

#include "table.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tailrace::tool {
namespace {

constexpr std::chrono::milliseconds redraw_interval{100};
constexpr std::size_t widest_bar = 50;
constexpr std::size_t narrowest_bar = 4;

std::size_t terminal_columns(std::FILE* stream) {
  winsize size{};
  return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string progress_line(std::string_view label, std::uint64_t done, std::uint64_t total, std::string_view rate,
                          std::size_t columns) {
  const double part = total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  std::array<char, 16> percent{};
  std::snprintf(percent.data(), percent.size(), " %3.0f %%", 100.0 * part);
  std::string numbers{percent.data()};
  if (!rate.empty()) numbers.append("  ").append(rate);
  std::string line{label};
  const std::size_t taken = label.size() + numbers.size() + 3;  // " [" and "]"
  if (columns >= taken + narrowest_bar) {
    const std::size_t bar = std::min(columns - taken, widest_bar);
    const auto full = static_cast<std::size_t>(part * static_cast<double>(bar));
    line += " [" + std::string(full, '#') + std::string(bar - full, '.') + "]";
  }
  return (line + numbers).substr(0, columns);
}

Progress::Progress(std::string label, std::uint64_t total, std::FILE* stream, std::string unit)
    : label_{std::move(label)},
      total_{total},
      stream_{stream},
      unit_{std::move(unit)},
      visible_{isatty(fileno(stream)) == 1},
      start_{Clock::now()},
      next_draw_{start_} {}

Progress::~Progress() {
  if (!visible_) return;
  std::fputs("\r\33[K", stream_);
  std::fflush(stream_);
}

void Progress::draw_if_due(std::uint64_t done) {
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + redraw_interval;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double per_second = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  // One column is left free: a full line would make some terminals wrap.
  const std::string rate = unit_.empty() ? "" : fixed(per_second, 0) + " " + unit_ + "/s";
  const std::string line = progress_line(label_, done, total_, rate, terminal_columns(stream_) - 1);
  std::fprintf(stream_, "\r%s\33[K", line.c_str());
  std::fflush(stream_);
}

}  // namespace tailrace::tool
