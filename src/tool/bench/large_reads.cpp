// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "large_reads.hpp"

#include "../table.hpp"
#include "plan.hpp"

#include <array>
#include <deque>
#include <exception>
#include <span>
#include <string>
#include <utility>

namespace tailrace::tool {
namespace {

using Clock = TimeBudget::Clock;

constexpr const char* ring_name = "the ring of large slots";

RingOptions ring_options(std::size_t bytes) {
  return {.name = "bench, large slots",
          .slots = large_slots,
          .capacity = plan_slot_size(bytes),
          .wait_mode = WaitMode::spin};
}

/// The tickets of a ring in their order, and which part of the source each is of.
class PartsInFlight {
 public:
  PartsInFlight(ReadbackRing& ring, const PlainReader& source) : ring_{ring}, source_{source} {}
  ~PartsInFlight() {
    try {
      for (const Part& part : parts_) ring_.discard(part.ticket);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): there is an error on its way already
    }
  }
  PartsInFlight(const PartsInFlight&) = delete;
  PartsInFlight& operator=(const PartsInFlight&) = delete;

  void submit(std::size_t offset) {
    parts_.push_back({ring_.submit({source_.memory().data, offset, ring_.capacity()}, source_.stream()), offset});
  }
  [[nodiscard]] bool full() const { return parts_.size() == ring_.slots(); }
  [[nodiscard]] bool empty() const { return parts_.empty(); }
  void wait_for_last() { ring_.wait(parts_.back().ticket); }
  /// Calls f(bytes, offset) with the oldest part, which then is gone.
  template <class F>
  void visit(const F& f) {
    const Part part = parts_.front();
    parts_.pop_front();
    ring_.visit(part.ticket, [&](std::span<const std::byte> bytes) { f(bytes, part.offset); });
  }

 private:
  struct Part {
    Ticket ticket;
    std::size_t offset;
  };
  ReadbackRing& ring_;
  const PlainReader& source_;
  std::deque<Part> parts_;
};

}  // namespace

LargeReads::LargeReads(Device device, std::size_t bytes)
    : device_{device},
      info_{device.info()},
      source_{device, bytes},
      destination_(bytes),
      runtime_{device},
      ring_{device, ring_options(bytes)} {}

std::vector<Figure> LargeReads::measure(Clock::time_point end, const std::function<void()>& report_turn) {
  const std::size_t bytes = destination_.size();
  const std::string size = binary_size(bytes);
  const auto way = [this, bytes](const char* name, std::string label, const char* plain,
                                 double (LargeReads::*sample)(const Pattern&)) {
    return Way{{.name = name, .label = std::move(label), .bytes = bytes, .plain = plain},
               [this, sample](const Pattern& pattern) { return (this->*sample)(pattern); }};
  };
  std::array ways{
      way("raw_pinned", size + " to pinned, raw", "", &LargeReads::raw_pinned),
      way("plain_pageable", size + " to pageable, plain", "", &LargeReads::plain_pageable),
      way("tailrace_pageable", size + " to pageable, tailrace", "plain_pageable", &LargeReads::library_pageable),
      way("tailrace_ring", size + " through a ring of " + binary_size(ring_.capacity()) + ", tailrace",
          "plain_pageable", &LargeReads::library_ring)};
  take_turns(ways, [this](const Pattern& pattern) { source_.write(pattern); }, end, report_turn);
  std::vector<Figure> figures;
  figures.reserve(ways.size());
  for (Way& measured : ways) figures.push_back(std::move(measured.figure));
  return figures;
}

double LargeReads::bandwidth(Clock::time_point start) const {
  return static_cast<double>(destination_.size()) / 1e9 / std::chrono::duration<double>(Clock::now() - start).count();
}

double LargeReads::raw_pinned(const Pattern& pattern) {
  const Clock::time_point start = Clock::now();
  source_.read_pinned();
  const double result = bandwidth(start);
  look_at_link();
  check_bytes(pattern, "the asynchronous copy into pinned memory", source_.pinned(), 0);
  return result;
}

double LargeReads::plain_pageable(const Pattern& pattern) {
  const Clock::time_point start = Clock::now();
  source_.read_blocking(destination_, 0);
  const double result = bandwidth(start);
  check_bytes(pattern, "the blocking copy", destination_, 0);
  return result;
}

double LargeReads::library_pageable(const Pattern& pattern) {
  const Clock::time_point start = Clock::now();
  runtime_.read(destination_, source_.memory(), source_.stream());
  const double result = bandwidth(start);
  check_bytes(pattern, "Runtime::read", destination_, 0);
  return result;
}

/// Until the last part is there. Of the parts whose slots are used again only the ends are looked at, in time; what is
/// in the slots at the end is checked as a whole.
double LargeReads::library_ring(const Pattern& pattern) {
  PartsInFlight parts{ring_, source_};
  const Clock::time_point start = Clock::now();
  for (std::size_t offset = 0; offset < destination_.size(); offset += ring_.capacity()) {
    if (parts.full()) {
      parts.visit([&](std::span<const std::byte> bytes, std::size_t at) { check_ends(pattern, ring_name, bytes, at); });
    }
    parts.submit(offset);
  }
  parts.wait_for_last();
  const double result = bandwidth(start);
  while (!parts.empty()) {
    parts.visit([&](std::span<const std::byte> bytes, std::size_t at) { check_bytes(pattern, ring_name, bytes, at); });
  }
  return result;
}

void LargeReads::look_at_link() {
  DeviceInfo now = device_.info();
  if (now.link_gbytes_per_s.value_or(0) > info_.link_gbytes_per_s.value_or(0)) info_ = std::move(now);
}

}  // namespace tailrace::tool
