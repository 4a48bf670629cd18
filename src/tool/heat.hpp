// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/devices.hpp>
#include <tailrace/stream.hpp>
#include <tailrace/view.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace tailrace::tool {

/// Makes @p device the calling thread's current device, on which solvers are then made.
void use_device(Device device);

/// A 2-D heat equation on the device, as small as a simulation can be: explicit Jacobi steps with a fixed boundary,
/// float32, row after row. It owns its stream and its device memory, and belongs to the device that is current when it
/// is made, which must be current in every call. Equal input gives equal bits, since every sum is taken in a fixed
/// order.
///
/// What may be read while the next steps run: there are two fields that swap roles with every step, so that the
/// field() of step n is overwritten by step n + 2 (read it as a snapshot, or guard it before step n + 2 is enqueued).
/// The residual of step n is overwritten by step n + residual_history only: whoever keeps fewer results than that
/// outstanding needs no guard.
///
/// Not safe for use by several threads at once. Failing calls of the vendor throw Error (Errc::driver_error).
class HeatSolver {
 public:
  static constexpr std::size_t residual_history = 1024;

  /// Starts from @p initial, @p width × @p height temperatures.
  /// @throws Error (Errc::invalid_argument) if the sizes do not match or a side is shorter than 3
  HeatSolver(std::span<const float> initial, std::size_t width, std::size_t height);
  ~HeatSolver();
  HeatSolver(HeatSolver&&) noexcept;
  HeatSolver& operator=(HeatSolver&&) noexcept;
  HeatSolver(const HeatSolver&) = delete;
  HeatSolver& operator=(const HeatSolver&) = delete;

  /// Enqueues one step and its residual: the sum over all cells of the squared change.
  void step();
  [[nodiscard]] StreamRef stream() const noexcept;
  /// The field as the last enqueued step leaves it; the initial one before the first step.
  [[nodiscard]] DeviceView field() const noexcept;
  /// The residual of the last enqueued step, one double; undefined before the first step.
  [[nodiscard]] DeviceView residual() const noexcept;

  /// Reads a dense view with the vendor's plain blocking copy after the stream's work, as a program without this
  /// library would.
  /// @throws Error (Errc::buffer_too_small)
  void blocking_read(std::span<std::byte> destination, const DeviceView& source);
  /// Blocks until all enqueued steps are done.
  void synchronize();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tailrace::tool
