// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "bench/support/triad.hpp"

#include "backends/gpu/vendor.hpp"

namespace bench {

namespace {

__global__ void triad_kernel(float* a, const float* b, const float* c, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    a[i] = b[i] + 3 * c[i];
  }
}

}  // namespace

void triad(float* a, const float* b, const float* c, std::size_t count, tailrace::StreamRef stream) {
  constexpr unsigned blocks = 4096;
  constexpr unsigned threads = 256;
  triad_kernel<<<blocks, threads, 0, tailrace::gpu::native(stream)>>>(a, b, c, count);
  tailrace::gpu::check(TAILRACE_GPU(GetLastError)(), "kernel launch");
}

}  // namespace bench
