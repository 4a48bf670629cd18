// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "bench/support/plain.hpp"

#include "backends/gpu/vendor.hpp"

#include <chrono>
#include <stdexcept>
#include <vector>

namespace bench::plain {

using tailrace::StreamRef;
using tailrace::gpu::check;
using tailrace::gpu::native;

Event::Event() { check(TAILRACE_GPU(EventCreateWithFlags)(&handle_, TAILRACE_GPU(EventDisableTiming)), "EventCreate"); }
Event::~Event() { static_cast<void>(TAILRACE_GPU(EventDestroy)(handle_)); }
void Event::record(StreamRef stream) { check(TAILRACE_GPU(EventRecord)(handle_, native(stream)), "EventRecord"); }

bool Event::done() const {
  const auto result = TAILRACE_GPU(EventQuery)(handle_);
  if (result == TAILRACE_GPU(ErrorNotReady)) return false;
  check(result, "EventQuery");
  return true;
}

void Event::hold_up(StreamRef stream) const {
  check(TAILRACE_GPU(StreamWaitEvent)(native(stream), handle_, 0), "StreamWaitEvent");
}

void blocking_copy(std::span<std::byte> destination, const void* source, StreamRef producer) {
  check(TAILRACE_GPU(StreamSynchronize)(native(producer)), "StreamSynchronize");
  check(TAILRACE_GPU(Memcpy)(destination.data(), source, destination.size(), TAILRACE_GPU(MemcpyDeviceToHost)),
        "Memcpy");
}

void copy_async(void* pinned, const void* source, std::size_t bytes, StreamRef stream) {
  check(TAILRACE_GPU(MemcpyAsync)(pinned, source, bytes, TAILRACE_GPU(MemcpyDeviceToHost), native(stream)),
        "MemcpyAsync");
}

#if defined(TAILRACE_BACKEND_CUDA) && CUDART_VERSION >= 12080

bool has_batched_copy() noexcept { return true; }

void copy_batch_async(std::span<void*> pinned, std::span<const void*> sources, std::size_t bytes, StreamRef stream) {
  std::vector<std::size_t> sizes(pinned.size(), bytes);
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  std::size_t first = 0;  // of the copies that the attributes are for: all of them
#if CUDART_VERSION >= 13000
  check(cudaMemcpyBatchAsync(pinned.data(), sources.data(), sizes.data(), sizes.size(), &attributes, &first, 1,
                             native(stream)),
        "MemcpyBatchAsync");
#else
  // The headers of CUDA 12 take sources as void*.
  std::vector<void*> from;
  for (const void* source : sources) from.push_back(const_cast<void*>(source));
  std::size_t failed = 0;
  check(cudaMemcpyBatchAsync(pinned.data(), from.data(), sizes.data(), sizes.size(), &attributes, &first, 1, &failed,
                             native(stream)),
        "MemcpyBatchAsync");
#endif
}

#else

bool has_batched_copy() noexcept { return false; }
void copy_batch_async(std::span<void*>, std::span<const void*>, std::size_t, StreamRef) {
  throw std::runtime_error{"this vendor's runtime has no batched copy"};
}

#endif

namespace {

using Handle = TAILRACE_GPU(Event_t);

Handle timing_event() {
  Handle event = nullptr;
  check(TAILRACE_GPU(EventCreate)(&event), "EventCreate");
  return event;
}

/// One moment on both clocks. Lives as long as the process.
struct Origin {
  Handle event = timing_event();
  double seconds = 0;
  Origin() {
    test::Stream stream;
    check(TAILRACE_GPU(EventRecord)(event, native(stream)), "EventRecord");
    stream.synchronize();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
};

const Origin& origin() {
  static const Origin the_origin;
  return the_origin;
}

}  // namespace

Stamp::Stamp() {
  static_cast<void>(origin());
  handle_ = timing_event();
}
Stamp::~Stamp() { static_cast<void>(TAILRACE_GPU(EventDestroy)(static_cast<Handle>(handle_))); }

void Stamp::record(StreamRef stream) {
  check(TAILRACE_GPU(EventRecord)(static_cast<Handle>(handle_), native(stream)), "EventRecord");
}

double Stamp::seconds() const {
  float milliseconds = 0;
  check(TAILRACE_GPU(EventElapsedTime)(&milliseconds, origin().event, static_cast<Handle>(handle_)),
        "EventElapsedTime");
  return origin().seconds + static_cast<double>(milliseconds) / 1e3;
}

}  // namespace bench::plain
