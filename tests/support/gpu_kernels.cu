// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/support/gpu_kernels.hpp"

#include <algorithm>

namespace test::kernels {

namespace {

using tailrace::gpu::check;

constexpr unsigned threads = 256;

__global__ void hold_kernel(const volatile unsigned* gate, unsigned epoch) {
  while (*gate < epoch) {
  }
}

__global__ void spin_kernel(long long ticks) {
  const long long start = clock64();
  while (clock64() - start < ticks) {
  }
}

__global__ void stamp_kernel(std::uint64_t* words, std::size_t count, std::uint64_t value) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) words[i] = value;
}

__global__ void fault_kernel(unsigned* nowhere) { *nowhere = 1; }

void check_launch() { check(TAILRACE_GPU(GetLastError)(), "kernel launch"); }

}  // namespace

void hold(const unsigned* gate, unsigned epoch, Stream stream) {
  hold_kernel<<<1, 1, 0, stream>>>(gate, epoch);
  check_launch();
}

void spin(long long ticks, Stream stream) {
  spin_kernel<<<1, 1, 0, stream>>>(ticks);
  check_launch();
}

void stamp(std::uint64_t* words, std::size_t count, std::uint64_t value, Stream stream) {
  if (count == 0) return;
  const std::size_t blocks = std::min<std::size_t>((count + threads - 1) / threads, 1024);
  stamp_kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(words, count, value);
  check_launch();
}

void fault(Stream stream) {
  fault_kernel<<<1, 1, 0, stream>>>(reinterpret_cast<unsigned*>(std::uintptr_t{64}));
  check_launch();
}

}  // namespace test::kernels
