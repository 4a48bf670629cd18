// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "tests/enumeration/scenarios.hpp"

#include <tailrace/testing.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace enumeration {

/// Which driver calls of a run are made to fail: the k-th one, and perhaps another one a distance behind it. Calls are
/// numbered from the beginning of the run, apart for the scenario's own thread and for all others together, since that
/// makes the numbers of the first independent of how fast the others are. Those of the others depend on it only where
/// a thread polls for what is held.
struct Fault {
  tailrace::control::CallsOf whose = tailrace::control::CallsOf::this_thread;
  std::uint64_t k = 1;
  tailrace::control::Failure how = tailrace::control::Failure::once;
  struct Second {
    std::uint64_t distance = 1;
    tailrace::control::Failure how = tailrace::control::Failure::once;
  };
  std::optional<Second> second{};

  [[nodiscard]] std::size_t failures() const noexcept { return second ? 2 : 1; }
};

/// A case as one word, and back: "<scenario>:own|others:<k>:once|sticky[:<distance>:once|sticky]".
struct Case {
  std::string scenario;
  Fault fault;
};
[[nodiscard]] std::string to_text(const Case& one);
[[nodiscard]] std::optional<Case> parse_case(std::string_view text);

struct Outcome {
  std::vector<std::string> violations;
  std::vector<tailrace::DriverCall> failed;  ///< the kinds of the calls that were made to fail
  std::uint64_t own_calls = 0;
  std::uint64_t other_calls = 0;
};

/// One run, without a fault if there is none. A run that hangs or terminates ends the process, with the case's name.
[[nodiscard]] Outcome run(const Scenario& scenario, const std::optional<Fault>& fault);

struct Tally {
  std::uint64_t calls = 0;
  std::uint64_t singles = 0;  ///< runs in which the call failed
  std::uint64_t pairs = 0;    ///< runs in which both calls failed
  std::uint64_t failures = 0;
  std::vector<std::string> messages;  ///< of the first failures, each with what replays it
};

/// Which cases are run: every call failing once and for good, and then with another failure at each of the distances.
struct Depth {
  bool pairs = false;
  std::uint64_t stride = 1;  ///< every so many calls only, for slow builds
};

[[nodiscard]] Tally enumerate(const Scenario& scenario, Depth depth);

/// What a run found, for people; empty if nothing.
[[nodiscard]] std::string describe(const Case& one, const Outcome& outcome);

}  // namespace enumeration
