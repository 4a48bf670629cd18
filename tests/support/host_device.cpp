// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/support/device.hpp"

#include <tailrace/host_device.hpp>
#include <tailrace/testing.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

namespace test {

using tailrace::StreamRef;
namespace host = tailrace::host;
namespace control = tailrace::control;

namespace {

void write_words(std::byte* first, std::size_t words, std::uint64_t value) noexcept {
  for (std::size_t i = 0; i < words; ++i) std::memcpy(first + i * sizeof value, &value, sizeof value);
}

/// What a kernel with about a millisecond of work is on a CPU.
void work_a_while() noexcept {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{1};
  while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

/// Device memory is ordinary memory here, and a stream of its own runs beside all others.
template <class F>
void run_beside(F&& kernel) {
  Stream stream;
  host::launch(stream, std::forward<F>(kernel));
  stream.synchronize();
}

}  // namespace

int device_count() { return host::device_count(); }
void use_device(int device) { host::set_device(device); }
int current_device() { return host::current_device(); }

Buffer::Buffer(std::size_t bytes) : data_{host::allocate(bytes)}, size_{bytes} {}
Buffer Buffer::stream_ordered(std::size_t bytes, StreamRef) { return Buffer{bytes}; }
Buffer Buffer::managed(std::size_t bytes) { return Buffer{host::allocate_managed(bytes), bytes}; }
Buffer::~Buffer() { host::deallocate(data_); }

Buffer::Buffer(Buffer&& other) noexcept
    : data_{std::exchange(other.data_, nullptr)}, size_{std::exchange(other.size_, 0)} {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void Buffer::upload(std::span<const std::byte> bytes) {
  if (bytes.size() > size_) throw std::runtime_error{"upload of more than the buffer holds"};
  if (bytes.empty()) return;
  run_beside([this, bytes] { std::memcpy(data_, bytes.data(), bytes.size()); });
}

std::vector<std::byte> Buffer::download() const {
  std::vector<std::byte> bytes(size_);
  if (size_ > 0) run_beside([this, &bytes] { std::memcpy(bytes.data(), data_, size_); });
  return bytes;
}

void Buffer::fill(std::byte value) {
  run_beside([this, value] { std::memset(data_, static_cast<int>(value), size_); });
}

void free_async(Buffer&& buffer, StreamRef stream) {
  host::deallocate_async(buffer.data_, stream);
  buffer.data_ = nullptr;
  buffer.size_ = 0;
}

Stream::Stream(Kind kind)
    : handle_{host::create_stream(kind == blocking ? host::StreamKind::blocking : host::StreamKind::non_blocking)} {}

Stream::~Stream() {
  if (handle_ != nullptr) host::destroy_stream(handle_);
}

Stream::Stream(Stream&& other) noexcept : handle_{std::exchange(other.handle_, nullptr)} {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

void Stream::synchronize() { host::synchronize(handle_); }

void synchronize(StreamRef stream) { host::synchronize(stream); }

Hold::Hold(StreamRef stream) : gate_{new control::StreamHold{stream}} {}
Hold::~Hold() { delete static_cast<control::StreamHold*>(gate_); }
void Hold::release() noexcept { static_cast<control::StreamHold*>(gate_)->release(); }

void stamp(Buffer& buffer, std::size_t offset, std::size_t words, std::uint64_t value, StreamRef stream) {
  auto* first = static_cast<std::byte*>(buffer.data()) + offset;
  host::launch(stream, [=] { write_words(first, words, value); });
}

void stamp_slow(Buffer& buffer, std::size_t offset, std::size_t words, std::uint64_t value, StreamRef stream) {
  host::launch(stream, work_a_while);
  stamp(buffer, offset, words, value, stream);
}

void blocking_copy(std::span<std::byte> destination, const Buffer& source, StreamRef stream) {
  synchronize(stream);
  host::copy_to_host(destination.data(), source.data(), destination.size());
}

void device_copy(Buffer& destination, const Buffer& source, StreamRef stream) {
  host::launch(stream, [to = destination.data(), from = source.data(),
                        bytes = std::min(destination.size(), source.size())] { std::memcpy(to, from, bytes); });
}

void begin_capture(StreamRef stream, CaptureMode mode) {
  constexpr host::CaptureMode modes[] = {host::CaptureMode::global, host::CaptureMode::per_thread,
                                         host::CaptureMode::relaxed};
  host::begin_capture(stream.get(), modes[static_cast<std::size_t>(mode)]);
}

bool end_capture(StreamRef stream) { return host::end_capture(stream.get()); }

int last_error() { return host::get_last_error(); }
int peek_error() { return host::peek_last_error(); }

int own_failing_call() {
  constexpr int code = 1;  // as the vendors' "invalid value"
  host::fail_a_call_of_my_own(code);
  return code;
}

void* pinned_allocate(std::size_t bytes) { return host::allocate_pinned(bytes); }
void pinned_free(void* memory) { host::deallocate_pinned(memory); }
void register_pinned(void* memory, std::size_t bytes) { host::register_pinned(memory, bytes); }
void unregister_pinned(void* memory) { host::unregister_pinned(memory); }

void enqueue_fault(StreamRef stream) {
  host::launch(stream, [device = current_device()] { control::lose_device(device); });
}

bool reset_device() {
  control::lose_device(host::current_device());
  return true;
}

void fault_device() { control::lose_device(host::current_device()); }

}  // namespace test
