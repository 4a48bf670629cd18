// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/support/gpu_kernels.hpp"

#include <algorithm>
#include <tuple>

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

__global__ void poke_kernel(unsigned* where) { *where = 1; }

/// Launches with the call that returns its own code: the last error may be one that a test left on purpose.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), unsigned blocks, unsigned block, Stream stream, Arguments... arguments) {
  std::tuple<Parameters...> values{static_cast<Parameters>(arguments)...};
  std::apply(
      [&](auto&... value) {
        void* addresses[] = {&value...};
        check(TAILRACE_GPU(LaunchKernel)(reinterpret_cast<const void*>(kernel), dim3{blocks}, dim3{block}, addresses, 0,
                                         stream),
              "kernel launch");
      },
      values);
}

}  // namespace

void hold(const unsigned* gate, unsigned epoch, Stream stream) { launch(hold_kernel, 1, 1, stream, gate, epoch); }

void spin(long long ticks, Stream stream) { launch(spin_kernel, 1, 1, stream, ticks); }

void stamp(std::uint64_t* words, std::size_t count, std::uint64_t value, Stream stream) {
  if (count == 0) return;
  const std::size_t blocks = std::min<std::size_t>((count + threads - 1) / threads, 1024);
  launch(stamp_kernel, static_cast<unsigned>(blocks), threads, stream, words, count, value);
}

void poke(unsigned* where, Stream stream) { launch(poke_kernel, 1, 1, stream, where); }

}  // namespace test::kernels
