// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/statistics.hpp>
#include <tailrace/testing.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

namespace tailrace::inline TAILRACE_ABI::host {

/// Counts the core's driver calls and decides which of them fail on a test's demand. Not synchronised; the machine's
/// mutex guards it.
class Faults {
 public:
  /// Counts a call, and says whether and how it is to fail.
  std::optional<control::Failure> count(DriverCall kind);

  /// The k-th call from now on fails: of this kind, or of any if there is none, and of these threads.
  void fail_one(std::optional<DriverCall> kind, std::uint64_t k, control::Failure failure,
                control::CallsOf whose = control::CallsOf::all_threads);
  void fail_all(DriverCall kind) noexcept { always_[index(kind)] = true; }
  void clear() noexcept;

  [[nodiscard]] std::uint64_t calls(DriverCall kind) const noexcept { return calls_[kind]; }
  [[nodiscard]] std::uint64_t calls() const noexcept { return all_calls_; }
  [[nodiscard]] const std::vector<DriverCall>& failed() const noexcept { return failed_; }

 private:
  struct Plan {
    std::optional<DriverCall> kind;
    std::uint64_t calls_left = 1;
    control::Failure failure = control::Failure::once;
    control::CallsOf whose = control::CallsOf::all_threads;
    std::thread::id planned_by{};
    [[nodiscard]] bool concerns(DriverCall call) const noexcept;
  };
  static std::size_t index(DriverCall kind) noexcept { return static_cast<std::size_t>(kind); }

  DriverCalls calls_;
  std::uint64_t all_calls_ = 0;
  std::vector<Plan> plans_;
  std::vector<DriverCall> failed_;
  std::array<bool, driver_call_kinds> always_{};
};

}  // namespace tailrace::inline TAILRACE_ABI::host
