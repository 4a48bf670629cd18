// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// The example of the README as a whole program, on the host backend's device: a "simulation" whose residual is read
// after every step and whose field is read while the next step already overwrites it. With CUDA or HIP, the stream, the
// memory and the kernel are the vendor's, and the rest stays as it is.

#include <tailrace/host_device.hpp>
#include <tailrace/tailrace.hpp>

#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

namespace {

constexpr std::size_t cells = std::size_t{1} << 20;

void enqueue_step(int step, double* rho, double* residual, tailrace::StreamRef stream) {
  tailrace::host::launch(stream, [=] {
    std::fill_n(rho, cells, step);
    *residual = 1.0 / step;
  });
}

}  // namespace

int main() {
  tailrace::Runtime rt{tailrace::Device{0}};
  const tailrace::StreamRef stream = tailrace::host::create_stream();
  auto* const rho = static_cast<double*>(tailrace::host::allocate(cells * sizeof(double)));
  auto* const residual = static_cast<double*>(tailrace::host::allocate(sizeof(double)));
  std::vector<double> field(cells);
  bool right = true;

  enqueue_step(1, rho, residual, stream);
  for (int step = 1; step <= 5; ++step) {
    const tailrace::Ticket ticket = rt.submit({residual, sizeof(double)}, stream);
    rt.async_read("rho", field, {rho, cells * sizeof(double)}, stream, {.snapshot = true});
    rt.guard_source(ticket, stream);
    enqueue_step(step + 1, rho, residual, stream);  // overwrites both while they are on their way

    rt.visit<double>(ticket, [&](std::span<const double> value) {
      std::printf("step %d: residual %.3f\n", step, value[0]);
      right = right && value[0] == 1.0 / step;
    });
    rt.async_wait("rho");
    right = right && std::all_of(field.begin(), field.end(), [&](double cell) { return cell == step; });
  }

  tailrace::host::synchronize(stream);
  tailrace::host::destroy_stream(stream.get());
  tailrace::host::deallocate(rho);
  tailrace::host::deallocate(residual);
  return right ? 0 : 1;
}
