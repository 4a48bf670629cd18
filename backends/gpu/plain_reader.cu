// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tool/bench/plain_reader.hpp"

#include "backends/gpu/owners.hpp"
#include "backends/gpu/vendor.hpp"

#include <algorithm>
#include <cstdint>
#include <new>

namespace tailrace::tool {

namespace {

using gpu::check;

__global__ void write_words(std::uint64_t* words, std::size_t count, std::uint64_t first) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads) {
    words[i] = first + i * Pattern::step;
  }
}

/// Memory that is not there has an exception of its own: less of it may do.
void check_allocation(TAILRACE_GPU(Error_t) result, const char* call) {
  if (result == TAILRACE_GPU(ErrorMemoryAllocation)) {
    static_cast<void>(TAILRACE_GPU(GetLastError)());
    throw std::bad_alloc{};
  }
  check(result, call);
}

std::byte* allocate_device(std::size_t bytes) {
  void* memory = nullptr;
  check_allocation(TAILRACE_GPU(Malloc)(&memory, bytes), "Malloc");
  return static_cast<std::byte*>(memory);
}

struct FreePinned {
  void operator()(void* memory) const noexcept {
#ifdef TAILRACE_BACKEND_CUDA
    static_cast<void>(cudaFreeHost(memory));
#else
    static_cast<void>(hipHostFree(memory));
#endif
  }
};

std::byte* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
#ifdef TAILRACE_BACKEND_CUDA
  check_allocation(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault), "HostAlloc");
#else
  check_allocation(hipHostMalloc(&memory, bytes, hipHostMallocDefault), "HostMalloc");
#endif
  return static_cast<std::byte*>(memory);
}

void use(Device device) { check(TAILRACE_GPU(SetDevice)(device.ordinal()), "SetDevice"); }

}  // namespace

struct PlainReader::State {
  explicit State(std::size_t size) : bytes{size}, memory{allocate_device(bytes)}, pinned{allocate_pinned(bytes)} {}

  std::size_t bytes;
  gpu::DeviceArray<std::byte> memory;
  std::unique_ptr<std::byte[], FreePinned> pinned;
  gpu::OwnStream stream;
};

PlainReader::PlainReader(Device device, std::size_t bytes) {
  use(device);
  state_ = std::make_unique<State>(bytes);
}

PlainReader::~PlainReader() = default;

std::size_t PlainReader::free_bytes(Device device) {
  use(device);
  std::size_t free = 0;
  std::size_t total = 0;
  check(TAILRACE_GPU(MemGetInfo)(&free, &total), "MemGetInfo");
  return free;
}

StreamRef PlainReader::stream() const noexcept { return state_->stream.handle; }
DeviceView PlainReader::memory() const noexcept { return {state_->memory.get(), state_->bytes}; }
std::span<const std::byte> PlainReader::pinned() const noexcept { return {state_->pinned.get(), state_->bytes}; }

void PlainReader::write(const Pattern& pattern) {
  constexpr std::size_t block = 256;
  constexpr std::size_t most_blocks = 4096;
  const std::size_t words = state_->bytes / sizeof(std::uint64_t);
  const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>(words / block, 1, most_blocks));
  write_words<<<blocks, block, 0, state_->stream.handle>>>(reinterpret_cast<std::uint64_t*>(state_->memory.get()),
                                                           words, pattern.first);
  check(TAILRACE_GPU(GetLastError)(), "kernel launch");
  check(TAILRACE_GPU(StreamSynchronize)(state_->stream.handle), "StreamSynchronize");
}

void PlainReader::read_pinned() {
  check(TAILRACE_GPU(MemcpyAsync)(state_->pinned.get(), state_->memory.get(), state_->bytes,
                                  TAILRACE_GPU(MemcpyDeviceToHost), state_->stream.handle),
        "MemcpyAsync");
  check(TAILRACE_GPU(StreamSynchronize)(state_->stream.handle), "StreamSynchronize");
}

void PlainReader::read_blocking(std::span<std::byte> destination, std::size_t offset) {
  check(TAILRACE_GPU(Memcpy)(destination.data(), state_->memory.get() + offset, destination.size(),
                             TAILRACE_GPU(MemcpyDeviceToHost)),
        "Memcpy");
}

}  // namespace tailrace::tool
