// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tool/heat.hpp"

#include <tailrace/error.hpp>

#include "backends/gpu/owners.hpp"
#include "backends/gpu/vendor.hpp"

#include <array>
#include <utility>

namespace tailrace::tool {

namespace {

using gpu::allocate;
using gpu::check;
using gpu::DeviceArray;
using gpu::OwnStream;

constexpr unsigned tile_width = 32;
constexpr unsigned tile_height = 8;
constexpr unsigned tile_cells = tile_width * tile_height;
constexpr float diffusivity = 0.2f;  // of a cell and step; the scheme is stable up to 0.25

/// The sum over the block, right in thread 0 only. A tree, so that its order, and with it its rounding, is always the
/// same.
__device__ double block_sum(double value, unsigned thread) {
  __shared__ double sums[tile_cells];
  sums[thread] = value;
  for (unsigned half = tile_cells / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) sums[thread] += sums[thread + half];
  }
  return sums[0];
}

/// One block per tile, one thread per cell.
__global__ void step_tile(const float* from, float* to, std::size_t width, std::size_t height, unsigned tiles_per_row,
                          double* partial) {
  const std::size_t x = std::size_t{blockIdx.x % tiles_per_row} * tile_width + threadIdx.x;
  const std::size_t y = std::size_t{blockIdx.x / tiles_per_row} * tile_height + threadIdx.y;
  double change = 0;
  if (x > 0 && x + 1 < width && y > 0 && y + 1 < height) {
    const float* cell = from + y * width + x;
    const float flow =
        diffusivity * (cell[-1] + cell[1] + cell[-static_cast<std::ptrdiff_t>(width)] + cell[width] - 4 * cell[0]);
    to[y * width + x] = cell[0] + flow;
    change = flow;
  }
  const unsigned thread = threadIdx.y * tile_width + threadIdx.x;
  const double sum = block_sum(change * change, thread);
  if (thread == 0) partial[blockIdx.x] = sum;
}

/// A single block.
__global__ void add_up(const double* partial, unsigned count, double* residual) {
  double sum = 0;
  for (unsigned i = threadIdx.x; i < count; i += tile_cells) sum += partial[i];
  sum = block_sum(sum, threadIdx.x);
  if (threadIdx.x == 0) *residual = sum;
}

unsigned pieces(std::size_t length, unsigned piece) { return static_cast<unsigned>((length + piece - 1) / piece); }

}  // namespace

void use_device(Device device) { check(TAILRACE_GPU(SetDevice)(device.ordinal()), "SetDevice"); }

struct HeatSolver::State {
  State(std::size_t columns, std::size_t rows)
      : width{columns},
        height{rows},
        tiles_per_row{pieces(width, tile_width)},
        tiles{tiles_per_row * pieces(height, tile_height)},
        fields{allocate<float>(width * height), allocate<float>(width * height)},
        partial{allocate<double>(tiles)},
        residuals{allocate<double>(residual_history)} {}

  std::size_t width;
  std::size_t height;
  unsigned tiles_per_row;
  unsigned tiles;
  std::array<DeviceArray<float>, 2> fields;
  DeviceArray<double> partial;
  DeviceArray<double> residuals;
  OwnStream stream;
  std::size_t steps = 0;
};

HeatSolver::HeatSolver(std::span<const float> initial, std::size_t width, std::size_t height) {
  if (width < 3 || height < 3 || initial.size() / width != height || initial.size() % width != 0) {
    throw Error{Errc::invalid_argument, "the initial field does not have the given width and height of 3 or more",
                "pass width x height temperatures"};
  }
  state_ = std::make_unique<State>(width, height);
  // Both, since no step ever writes the boundary.
  for (const auto& field : state_->fields) {
    check(TAILRACE_GPU(Memcpy)(field.get(), initial.data(), initial.size_bytes(), TAILRACE_GPU(MemcpyHostToDevice)),
          "Memcpy");
  }
  // A copy from pageable memory may return when the bytes are staged; a non-blocking stream would not wait for it.
  check(TAILRACE_GPU(DeviceSynchronize)(), "DeviceSynchronize");
}

HeatSolver::~HeatSolver() = default;
HeatSolver::HeatSolver(HeatSolver&&) noexcept = default;
HeatSolver& HeatSolver::operator=(HeatSolver&&) noexcept = default;

void HeatSolver::step() {
  State& s = *state_;
  const float* from = s.fields[s.steps % 2].get();
  ++s.steps;
  step_tile<<<s.tiles, dim3{tile_width, tile_height}, 0, s.stream.handle>>>(from, s.fields[s.steps % 2].get(), s.width,
                                                                            s.height, s.tiles_per_row, s.partial.get());
  check(TAILRACE_GPU(GetLastError)(), "kernel launch");
  add_up<<<1, tile_cells, 0, s.stream.handle>>>(s.partial.get(), s.tiles,
                                                s.residuals.get() + s.steps % residual_history);
  check(TAILRACE_GPU(GetLastError)(), "kernel launch");
}

StreamRef HeatSolver::stream() const noexcept { return state_->stream.handle; }

DeviceView HeatSolver::field() const noexcept {
  return {state_->fields[state_->steps % 2].get(), state_->width * state_->height * sizeof(float)};
}

DeviceView HeatSolver::residual() const noexcept {
  return {state_->residuals.get() + state_->steps % residual_history, sizeof(double)};
}

void HeatSolver::blocking_read(std::span<std::byte> destination, const DeviceView& source) {
  if (!source.dense() || destination.size() < source.bytes()) {
    throw Error{Errc::buffer_too_small, "a plain copy needs a dense view and room for all of it",
                "pass a buffer of the view's length"};
  }
  synchronize();
  check(TAILRACE_GPU(Memcpy)(destination.data(), static_cast<const std::byte*>(source.data) + source.offset,
                             source.bytes(), TAILRACE_GPU(MemcpyDeviceToHost)),
        "Memcpy");
}

void HeatSolver::synchronize() { check(TAILRACE_GPU(StreamSynchronize)(state_->stream.handle), "StreamSynchronize"); }

}  // namespace tailrace::tool
