// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "bench/support/own_cost.hpp"

#include <tailrace/testing.hpp>

#include "backends/adapter.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>

namespace bench {

using tailrace::DriverCall;
using tailrace::DriverCalls;
namespace backend = tailrace::backend;
namespace control = tailrace::control;

namespace {

constexpr std::size_t period = 1024;  // readbacks that are learned from

constexpr std::array known{DriverCall::current_device, DriverCall::pointer_query, DriverCall::stream_wait,
                           DriverCall::capture_query,  DriverCall::capture_mode,  DriverCall::event_record,
                           DriverCall::event_query,    DriverCall::copy};

tailrace::native_stream handle(tailrace::StreamRef stream) { return stream.get(); }

void check(backend::Status status) {
  if (!status.ok()) throw std::runtime_error{std::string{"a bare driver call: "} + backend::error_text(status.code)};
}

void refuse_unknown(const DriverCalls& calls) {
  for (std::size_t i = 0; i < calls.count.size(); ++i) {
    const auto kind = static_cast<DriverCall>(i);
    if (calls.count[i] == 0 || std::ranges::count(known, kind) != 0) continue;
    throw std::runtime_error{"a readback makes a driver call that OwnCost::calls_only() does not: " +
                             std::string{to_string(kind)} + ". Fix: add it there"};
  }
}

/// How many of the period's calls fall to readback i if they are spread evenly.
std::uint8_t share(std::uint64_t calls, std::size_t i) {
  return static_cast<std::uint8_t>((i + 1) * calls / period - i * calls / period);
}

template <class Call>
void times(std::uint8_t count, Call call) {
  for (; count > 0; --count) check(call());
}

}  // namespace

OwnCost::OwnCost()
    : ring_{tailrace::Device{0}, {.capacity = 64, .wait_mode = tailrace::WaitMode::spin}},
      slot_{test::pinned_allocate(64)} {
  control::complete_copies_at_enqueue(true);
  check(backend::event_create(edge_));
  check(backend::event_create(mark_));
  learn();
  calls_only(period);
}

OwnCost::~OwnCost() {
  static_cast<void>(backend::event_destroy(edge_));
  static_cast<void>(backend::event_destroy(mark_));
  test::pinned_free(slot_);
  control::complete_copies_at_enqueue(false);
}

void OwnCost::through_ring(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const tailrace::Ticket ticket = ring_.submit(source_.view(i), producer_);
    ring_.poll();
    ring_.visit(ticket, [&](std::span<const std::byte> bytes) { source_.check_ends(i, bytes.data()); });
  }
}

void OwnCost::learn() {
  through_ring(period);  // warms up
  const DriverCalls before = ring_.statistics().calls;
  through_ring(period);
  DriverCalls calls = ring_.statistics().calls;
  for (std::size_t i = 0; i < calls.count.size(); ++i) calls.count[i] -= before.count[i];
  refuse_unknown(calls);
  calls_per_readback_ =
      static_cast<double>(std::accumulate(calls.count.begin(), calls.count.end(), std::uint64_t{0})) / period;
  // Each stream_wait is for a record on the producer; every other record is a mark.
  const std::uint64_t edges = std::min(calls[DriverCall::stream_wait], calls[DriverCall::event_record]);
  for (std::size_t i = 0; i < period; ++i) {
    plans_.push_back({.capture_modes = share(calls[DriverCall::capture_mode], i),
                      .devices = share(calls[DriverCall::current_device], i),
                      .capture_queries = share(calls[DriverCall::capture_query], i),
                      .pointer_queries = share(calls[DriverCall::pointer_query], i),
                      .edges = share(edges, i),
                      .waits = share(calls[DriverCall::stream_wait], i),
                      .copies = share(calls[DriverCall::copy], i),
                      .marks = share(calls[DriverCall::event_record] - edges, i),
                      .event_queries = share(calls[DriverCall::event_query], i)});
  }
}

void OwnCost::calls_only(std::size_t count) {
  const tailrace::native_stream producer = handle(producer_);
  const tailrace::native_stream stream = handle(copy_stream_);
  backend::CaptureMode mode = backend::relaxed_capture;
  int device = 0;
  bool capturing = false;
  backend::Memory memory;
  for (std::size_t i = 0; i < count; ++i) {
    const Plan plan = plans_[i % period];
    const std::byte* const from = source_.piece(i);
    times(plan.capture_modes, [&] { return backend::exchange_capture_mode(mode); });
    times(plan.devices, [&] { return backend::get_device(device); });
    times(plan.capture_queries, [&] { return backend::stream_capturing(stream, capturing); });
    times(plan.pointer_queries, [&] { return backend::memory_info(from, memory); });
    times(plan.edges, [&] { return backend::event_record(edge_, producer); });
    times(plan.waits, [&] { return backend::stream_wait(stream, edge_); });
    times(plan.copies, [&] { return backend::copy_to_host(slot_, {.data = from, .width = source_.bytes()}, stream); });
    times(plan.marks, [&] { return backend::event_record(mark_, stream); });
    times(plan.event_queries, [&] { return backend::event_query(mark_); });
    source_.check_ends(i, static_cast<const std::byte*>(slot_));
  }
}

}  // namespace bench
