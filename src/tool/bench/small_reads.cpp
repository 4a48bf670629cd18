// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "small_reads.hpp"

#include <array>
#include <string>
#include <utility>

namespace tailrace::tool {
namespace {

using Clock = TimeBudget::Clock;

constexpr std::size_t readbacks_per_sample = 512;
constexpr std::size_t latencies_per_sample = 128;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The median of how long read(n) takes, in microseconds.
template <class Read>
double median_latency(const Read& read) {
  std::vector<double> latencies;
  latencies.reserve(latencies_per_sample);
  for (std::size_t number = 0; number < latencies_per_sample; ++number) {
    const Clock::time_point start = Clock::now();
    read(number);
    latencies.push_back(seconds_since(start) * 1e6);
  }
  return summarize(latencies).median;
}

}  // namespace

SmallReads::SmallReads(Device device)
    : source_{device, depth * bytes},
      destination_(depth * bytes),
      ring_{device, {.name = "bench, small slots", .capacity = bytes, .wait_mode = WaitMode::spin}} {}

std::vector<Figure> SmallReads::measure_rate(Clock::time_point end, const std::function<void()>& report_turn) {
  const auto figure = [](const char* name, const std::string& label, const char* plain) {
    return Figure{.name = name, .label = label, .quantity = Quantity::rate, .bytes = bytes, .plain = plain};
  };
  std::array ways{
      Way{figure("plain_small_rate", "4 KiB, one after the other, plain", ""),
          [this](const Pattern&) { return plain_rate(); }},
      Way{figure("tailrace_small_rate", "4 KiB, " + std::to_string(depth) + " under way, tailrace", "plain_small_rate"),
          [this](const Pattern&) { return ring_rate(); }}};
  return measure(ways, end, report_turn);
}

std::vector<Figure> SmallReads::measure_latency(Clock::time_point end, const std::function<void()>& report_turn) {
  const auto figure = [](const char* name, const char* label, const char* plain) {
    return Figure{.name = name, .label = label, .quantity = Quantity::latency, .bytes = bytes, .plain = plain};
  };
  std::array ways{Way{figure("plain_small_latency", "4 KiB, until it is there, plain", ""),
                      [this](const Pattern&) { return median_latency([this](std::size_t n) { read_plainly(n); }); }},
                  Way{figure("tailrace_small_latency", "4 KiB, until it is there, tailrace", "plain_small_latency"),
                      [this](const Pattern&) {
                        return median_latency([this](std::size_t n) { ring_.collect(submit(n), destination(n)); });
                      }}};
  return measure(ways, end, report_turn);
}

std::vector<Figure> SmallReads::measure(std::span<Way> ways, Clock::time_point end,
                                        const std::function<void()>& report_turn) {
  for (Way& way : ways) {
    way.sample = [this, sample = std::move(way.sample), label = way.figure.label](const Pattern& pattern) {
      const double value = sample(pattern);
      check_bytes(pattern, "\"" + label + "\"", destination_, 0);
      return value;
    };
  }
  take_turns(ways, [this](const Pattern& pattern) { source_.write(pattern); }, end, report_turn);
  std::vector<Figure> figures;
  figures.reserve(ways.size());
  for (Way& way : ways) figures.push_back(std::move(way.figure));
  return figures;
}

double SmallReads::plain_rate() {
  const Clock::time_point start = Clock::now();
  for (std::size_t number = 0; number < readbacks_per_sample; ++number) read_plainly(number);
  return static_cast<double>(readbacks_per_sample) / seconds_since(start);
}

double SmallReads::ring_rate() {
  std::array<Ticket, depth> tickets;
  const Clock::time_point start = Clock::now();
  for (std::size_t number = 0; number < readbacks_per_sample + depth; ++number) {
    Ticket& ticket = tickets[number % depth];
    if (number >= depth) ring_.collect(ticket, destination(number));
    if (number < readbacks_per_sample) ticket = submit(number);
  }
  return static_cast<double>(readbacks_per_sample) / seconds_since(start);
}

void SmallReads::read_plainly(std::size_t number) { source_.read_blocking(destination(number), offset(number)); }

Ticket SmallReads::submit(std::size_t number) {
  return ring_.submit({source_.memory().data, offset(number), bytes}, source_.stream());
}

std::span<std::byte> SmallReads::destination(std::size_t number) {
  return std::span{destination_}.subspan(offset(number), bytes);
}

}  // namespace tailrace::tool
