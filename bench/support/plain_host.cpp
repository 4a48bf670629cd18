// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "bench/support/plain.hpp"

#include <tailrace/host_device.hpp>

#include "backends/adapter.hpp"

#include <chrono>
#include <stdexcept>
#include <string>

// The host backend has no event or asynchronous copy of its own for programs: the seam's are what the vendors' are.

namespace bench::plain {

using tailrace::StreamRef;
namespace backend = tailrace::backend;

namespace {

void check(backend::Status status, const char* call) {
  if (!status.ok()) throw std::runtime_error{std::string{call} + ": " + backend::error_text(status.code)};
}

}  // namespace

Event::Event() { check(backend::event_create(handle_), "event_create"); }
Event::~Event() { static_cast<void>(backend::event_destroy(handle_)); }
void Event::record(StreamRef stream) { check(backend::event_record(handle_, stream.get()), "event_record"); }

bool Event::done() const {
  const backend::Status status = backend::event_query(handle_);
  if (status.hard()) check(status, "event_query");
  return status.ok();
}

void Event::hold_up(StreamRef stream) const { check(backend::stream_wait(stream.get(), handle_), "stream_wait"); }

void blocking_copy(std::span<std::byte> destination, const void* source, StreamRef producer) {
  tailrace::host::synchronize(producer);
  tailrace::host::copy_to_host(destination.data(), source, destination.size());
}

void copy_async(void* pinned, const void* source, std::size_t bytes, StreamRef stream) {
  check(backend::copy_to_host(pinned, {.data = source, .width = bytes}, stream.get()), "copy_to_host");
}

bool has_batched_copy() noexcept { return false; }
void copy_batch_async(std::span<void*>, std::span<const void*>, std::size_t, StreamRef) {
  throw std::runtime_error{"the host backend has no batched copy"};
}

Stamp::Stamp() : handle_{new double{0}} {}
Stamp::~Stamp() { delete static_cast<double*>(handle_); }

void Stamp::record(StreamRef stream) {
  tailrace::host::launch(stream, [at = static_cast<double*>(handle_)] {
    *at = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  });
}

double Stamp::seconds() const { return *static_cast<double*>(handle_); }

}  // namespace bench::plain
