// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/support/device.hpp"

#include "backends/gpu/vendor.hpp"
#include "tests/support/gpu_kernels.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

namespace test {

using tailrace::StreamRef;
using tailrace::gpu::check;
using tailrace::gpu::native;

namespace {

constexpr long long about_a_millisecond = 2'000'000;

void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
#ifdef TAILRACE_BACKEND_CUDA
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped), "HostAlloc");
#else
  check(hipHostMalloc(&memory, bytes, hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent),
        "HostMalloc");
#endif
  return memory;
}

/// Words that held streams wait for. They live as long as the process: to free pinned memory waits for the device,
/// which would never end beside a held stream. A word is used again after all others; it only grows, so that whoever
/// waited for it before is not held again.
class Gates {
 public:
  struct Gate {
    unsigned* word;
    unsigned epoch;
  };
  Gate next() {
    const unsigned use = uses_.fetch_add(1);
    return {words_ + use % count, use / count + 1};
  }

 private:
  static constexpr unsigned count = 4096;
  unsigned* words_ = new (allocate_pinned(count * sizeof(unsigned))) unsigned[count]{};
  std::atomic<unsigned> uses_{0};
};

Gates& gates() {
  static Gates the_gates;
  return the_gates;
}

/// Everything once, so that nothing is loaded later: to load a kernel may wait for the device, and would never end
/// beside a held stream.
void warm_up() {
  kernels::Stream stream{};
  check(TAILRACE_GPU(StreamCreateWithFlags)(&stream, TAILRACE_GPU(StreamNonBlocking)), "StreamCreate");
  void* memory = nullptr;
  check(TAILRACE_GPU(Malloc)(&memory, 32), "Malloc");
  auto* words = static_cast<std::uint64_t*>(memory);
  kernels::hold(gates().next().word, 0, stream);
  kernels::spin(1, stream);
  kernels::stamp(words, 2, 1, stream);
  kernels::poke(static_cast<unsigned*>(memory), stream);
  check(TAILRACE_GPU(MemsetAsync)(words, 0, 32, stream), "Memset");
  check(TAILRACE_GPU(MemcpyAsync)(words + 2, words, 16, TAILRACE_GPU(MemcpyDeviceToDevice), stream), "Memcpy");
  check(TAILRACE_GPU(StreamSynchronize)(stream), "StreamSynchronize");
  check(TAILRACE_GPU(Free)(memory), "Free");
  check(TAILRACE_GPU(StreamDestroy)(stream), "StreamDestroy");
}

void warm_up_once() {
  static std::array<std::once_flag, 64> done;
  std::call_once(done.at(static_cast<std::size_t>(current_device())), warm_up);
}

}  // namespace

int device_count() {
  int count = 0;
  if (TAILRACE_GPU(GetDeviceCount)(&count) == TAILRACE_GPU(Success)) return count;
  last_error();
  return 0;
}

void use_device(int device) { check(TAILRACE_GPU(SetDevice)(device), "SetDevice"); }

int current_device() {
  int device = -1;
  check(TAILRACE_GPU(GetDevice)(&device), "GetDevice");
  return device;
}

Buffer::Buffer(std::size_t bytes) : size_{bytes} {
  warm_up_once();
  check(TAILRACE_GPU(Malloc)(&data_, std::max<std::size_t>(bytes, 1)), "Malloc");
  fill(std::byte{0});  // so that compute-sanitizer's initcheck speaks of the library's memory only
}

Buffer Buffer::stream_ordered(std::size_t bytes, StreamRef stream) {
  warm_up_once();
  void* data = nullptr;
  check(TAILRACE_GPU(MallocAsync)(&data, std::max<std::size_t>(bytes, 1), native(stream)), "MallocAsync");
  return Buffer{data, bytes};
}

Buffer Buffer::managed(std::size_t bytes) {
  warm_up_once();
  void* data = nullptr;
  check(TAILRACE_GPU(MallocManaged)(&data, std::max<std::size_t>(bytes, 1), TAILRACE_GPU(MemAttachGlobal)),
        "MallocManaged");
  return Buffer{data, bytes};
}

Buffer::~Buffer() { static_cast<void>(TAILRACE_GPU(Free)(data_)); }

Buffer::Buffer(Buffer&& other) noexcept
    : data_{std::exchange(other.data_, nullptr)}, size_{std::exchange(other.size_, 0)} {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void Buffer::upload(std::span<const std::byte> bytes) {
  if (bytes.size() > size_) throw std::runtime_error{"upload of more than the buffer holds"};
  Stream stream;
  check(TAILRACE_GPU(MemcpyAsync)(data_, bytes.data(), bytes.size(), TAILRACE_GPU(MemcpyHostToDevice), native(stream)),
        "Memcpy");
  stream.synchronize();
}

std::vector<std::byte> Buffer::download() const {
  std::vector<std::byte> bytes(size_);
  Stream stream;
  check(TAILRACE_GPU(MemcpyAsync)(bytes.data(), data_, size_, TAILRACE_GPU(MemcpyDeviceToHost), native(stream)),
        "Memcpy");
  stream.synchronize();
  return bytes;
}

void Buffer::fill(std::byte value) {
  Stream stream;
  check(TAILRACE_GPU(MemsetAsync)(data_, static_cast<int>(value), size_, native(stream)), "Memset");
  stream.synchronize();
}

void free_async(Buffer&& buffer, StreamRef stream) {
  check(TAILRACE_GPU(FreeAsync)(buffer.data_, native(stream)), "FreeAsync");
  buffer.data_ = nullptr;
  buffer.size_ = 0;
}

Stream::Stream(Kind kind) {
  warm_up_once();
  const unsigned flags = kind == blocking ? TAILRACE_GPU(StreamDefault) : TAILRACE_GPU(StreamNonBlocking);
  check(TAILRACE_GPU(StreamCreateWithFlags)(&handle_, flags), "StreamCreate");
}

Stream::~Stream() {
  if (handle_ != nullptr) static_cast<void>(TAILRACE_GPU(StreamDestroy)(handle_));
}

Stream::Stream(Stream&& other) noexcept : handle_{std::exchange(other.handle_, nullptr)} {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

void Stream::synchronize() { test::synchronize(handle_); }

void synchronize(StreamRef stream) { check(TAILRACE_GPU(StreamSynchronize)(native(stream)), "StreamSynchronize"); }

Hold::Hold(StreamRef stream) {
  warm_up_once();
  const auto gate = gates().next();
  kernels::hold(gate.word, gate.epoch, native(stream));
  gate_ = gate.word;
  epoch_ = gate.epoch;
}

Hold::~Hold() { release(); }

void Hold::release() noexcept {
  std::atomic_ref{*static_cast<unsigned*>(gate_)}.store(epoch_, std::memory_order_release);
}

void stamp(Buffer& buffer, std::size_t offset, std::size_t words, std::uint64_t value, StreamRef stream) {
  auto* first = reinterpret_cast<std::uint64_t*>(static_cast<std::byte*>(buffer.data()) + offset);
  kernels::stamp(first, words, value, native(stream));
}

void stamp_slow(Buffer& buffer, std::size_t offset, std::size_t words, std::uint64_t value, StreamRef stream) {
  kernels::spin(about_a_millisecond, native(stream));
  stamp(buffer, offset, words, value, stream);
}

void blocking_copy(std::span<std::byte> destination, const Buffer& source, StreamRef stream) {
  synchronize(stream);
  check(TAILRACE_GPU(Memcpy)(destination.data(), source.data(), destination.size(), TAILRACE_GPU(MemcpyDeviceToHost)),
        "Memcpy");
}

void device_copy(Buffer& destination, const Buffer& source, StreamRef stream) {
  check(TAILRACE_GPU(MemcpyAsync)(destination.data(), source.data(), std::min(destination.size(), source.size()),
                                  TAILRACE_GPU(MemcpyDeviceToDevice), native(stream)),
        "Memcpy");
}

void begin_capture(StreamRef stream, CaptureMode mode) {
  constexpr std::array modes{TAILRACE_GPU(StreamCaptureModeGlobal), TAILRACE_GPU(StreamCaptureModeThreadLocal),
                             TAILRACE_GPU(StreamCaptureModeRelaxed)};
  check(TAILRACE_GPU(StreamBeginCapture)(native(stream), modes[static_cast<std::size_t>(mode)]), "StreamBeginCapture");
}

bool end_capture(StreamRef stream) {
  TAILRACE_GPU(Graph_t) graph = nullptr;
  const bool unharmed = TAILRACE_GPU(StreamEndCapture)(native(stream), &graph) == TAILRACE_GPU(Success);
  if (!unharmed) last_error();
  if (graph != nullptr) check(TAILRACE_GPU(GraphDestroy)(graph), "GraphDestroy");
  return unharmed;
}

int last_error() { return TAILRACE_GPU(GetLastError)(); }
int peek_error() { return TAILRACE_GPU(PeekAtLastError)(); }
int own_failing_call() { return TAILRACE_GPU(SetDevice)(1 << 20); }

void* pinned_allocate(std::size_t bytes) { return allocate_pinned(bytes); }

void pinned_free(void* memory) {
#ifdef TAILRACE_BACKEND_CUDA
  check(cudaFreeHost(memory), "FreeHost");
#else
  check(hipHostFree(memory), "HostFree");
#endif
}

void register_pinned(void* memory, std::size_t bytes) {
  check(TAILRACE_GPU(HostRegister)(memory, bytes, TAILRACE_GPU(HostRegisterDefault)), "HostRegister");
}

void unregister_pinned(void* memory) { check(TAILRACE_GPU(HostUnregister)(memory), "HostUnregister"); }

void enqueue_fault(StreamRef stream) { kernels::poke(reinterpret_cast<unsigned*>(std::uintptr_t{64}), native(stream)); }

bool reset_device() {
#ifdef TAILRACE_BACKEND_CUDA
  return cudaDeviceReset() == cudaSuccess;
#else
  return false;
#endif
}

void fault_device() {
  Stream stream;
  enqueue_fault(stream);
  // The fault is known to the host once a call has reported it.
  static_cast<void>(TAILRACE_GPU(StreamSynchronize)(native(stream)));
}

}  // namespace test
