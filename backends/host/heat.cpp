// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/tool/heat.hpp"

#include <tailrace/error.hpp>
#include <tailrace/host_device.hpp>

#include "backends/host/owners.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

namespace tailrace::tool {

namespace {

using host::allocate_array;
using host::DeviceArray;
using host::OwnStream;

constexpr float diffusivity = 0.2f;  // of a cell and step; the scheme is stable up to 0.25

struct Grid {
  std::size_t width;
  std::size_t height;
};

/// The kernel: one step and the sum of the squared changes, cell after cell.
double step_field(const float* from, float* to, Grid grid) {
  double sum = 0;
  for (std::size_t y = 1; y + 1 < grid.height; ++y) {
    for (std::size_t x = 1; x + 1 < grid.width; ++x) {
      const std::size_t i = y * grid.width + x;
      const float flow =
          diffusivity * (from[i - 1] + from[i + 1] + from[i - grid.width] + from[i + grid.width] - 4 * from[i]);
      to[i] = from[i] + flow;
      sum += static_cast<double>(flow) * static_cast<double>(flow);
    }
  }
  return sum;
}

}  // namespace

void use_device(Device device) { host::set_device(device.ordinal()); }

struct HeatSolver::State {
  explicit State(Grid size)
      : grid{size},
        fields{allocate_array<float>(grid.width * grid.height), allocate_array<float>(grid.width * grid.height)},
        residuals{allocate_array<double>(residual_history)} {}
  ~State() {
    // The stream's thread uses the memory until its work is done.
    try {
      host::synchronize(stream.handle);
    } catch (...) {  // NOLINT(bugprone-empty-catch): no error here can be helped
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Grid grid;
  std::array<DeviceArray<float>, 2> fields;
  DeviceArray<double> residuals;
  OwnStream stream;
  std::size_t steps = 0;
};

HeatSolver::HeatSolver(std::span<const float> initial, std::size_t width, std::size_t height) {
  if (width < 3 || height < 3 || initial.size() / width != height || initial.size() % width != 0) {
    throw Error{Errc::invalid_argument, "the initial field does not have the given width and height of 3 or more",
                "pass width x height temperatures"};
  }
  state_ = std::make_unique<State>(Grid{width, height});
  // Both, since no step ever writes the boundary.
  for (const auto& field : state_->fields) host::copy_to_device(field.get(), initial.data(), initial.size_bytes());
}

HeatSolver::~HeatSolver() = default;
HeatSolver::HeatSolver(HeatSolver&&) noexcept = default;
HeatSolver& HeatSolver::operator=(HeatSolver&&) noexcept = default;

void HeatSolver::step() {
  State& s = *state_;
  const float* from = s.fields[s.steps % 2].get();
  ++s.steps;
  float* to = s.fields[s.steps % 2].get();
  double* residual = s.residuals.get() + s.steps % residual_history;
  host::launch(s.stream.handle, [=, grid = s.grid] { *residual = step_field(from, to, grid); });
}

StreamRef HeatSolver::stream() const noexcept { return state_->stream.handle; }

DeviceView HeatSolver::field() const noexcept {
  return {state_->fields[state_->steps % 2].get(), state_->grid.width * state_->grid.height * sizeof(float)};
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
  host::copy_to_host(destination.data(), static_cast<const std::byte*>(source.data) + source.offset, source.bytes());
}

void HeatSolver::synchronize() { host::synchronize(state_->stream.handle); }

}  // namespace tailrace::tool
