// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tool/bench/plain_reader.hpp"

#include <tailrace/error.hpp>
#include <tailrace/host_device.hpp>

#include "backends/host/owners.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <new>

namespace tailrace::tool {

namespace {

/// Memory that is not there has an exception of its own: less of it may do.
template <class Allocate>
std::byte* allocate(const Allocate& memory, std::size_t bytes) {
  try {
    return static_cast<std::byte*>(memory(bytes));
  } catch (const Error& error) {
    if (error.native_name() == "hostErrorMemoryAllocation") throw std::bad_alloc{};
    throw;
  }
}

struct FreePinned {
  void operator()(void* memory) const noexcept { host::deallocate_pinned(memory); }
};

}  // namespace

struct PlainReader::State {
  explicit State(std::size_t size)
      : bytes{size}, memory{allocate(host::allocate, bytes)}, pinned{allocate(host::allocate_pinned, bytes)} {}

  std::size_t bytes;
  host::DeviceArray<std::byte> memory;
  std::unique_ptr<std::byte[], FreePinned> pinned;
  host::OwnStream stream;
};

PlainReader::PlainReader(Device device, std::size_t bytes) {
  host::set_device(device.ordinal());
  state_ = std::make_unique<State>(bytes);
}

PlainReader::~PlainReader() = default;

/// Its memory is the machine's.
std::size_t PlainReader::free_bytes(Device) {
  return static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

StreamRef PlainReader::stream() const noexcept { return state_->stream.handle; }
DeviceView PlainReader::memory() const noexcept { return {state_->memory.get(), state_->bytes}; }
std::span<const std::byte> PlainReader::pinned() const noexcept { return {state_->pinned.get(), state_->bytes}; }

void PlainReader::write(const Pattern& pattern) {
  host::launch(state_->stream.handle, [memory = state_->memory.get(), bytes = state_->bytes, pattern] {
    for (std::size_t i = 0; i < bytes / sizeof(std::uint64_t); ++i) {
      const std::uint64_t word = pattern.word(i);
      std::memcpy(memory + i * sizeof word, &word, sizeof word);
    }
  });
  host::synchronize(state_->stream.handle);
}

/// There is no asynchronous copy among a program's calls here: a "kernel" does it on the stream's thread.
void PlainReader::read_pinned() {
  host::launch(state_->stream.handle, [to = state_->pinned.get(), from = state_->memory.get(), bytes = state_->bytes] {
    std::memcpy(to, from, bytes);
  });
  host::synchronize(state_->stream.handle);
}

void PlainReader::read_blocking(std::span<std::byte> destination, std::size_t offset) {
  host::copy_to_host(destination.data(), state_->memory.get() + offset, destination.size());
}

}  // namespace tailrace::tool
