// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/enumeration/enumeration.hpp"

#include "tests/enumeration/stage.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <thread>

namespace enumeration {

using tailrace::control::CallsOf;
using tailrace::control::Failure;
namespace control = tailrace::control;

namespace {

constexpr std::chrono::seconds hang_limit{20};
constexpr std::size_t most_messages = 10;
/// Of the other threads' calls, so many: a thread that polls makes more, all of the same kind.
constexpr std::uint64_t most_of_others = 64;

/// The case under way, for messages of a process that ends in it.
std::string& current_case() {
  static std::string name;
  return name;
}

std::string how_to_replay(const std::string& name) {
  return "replay: TAILRACE_REPLAY=" + name + " <this program> --gtest_filter='Replay.*'";
}

[[noreturn]] void die(const char* how) noexcept {
  std::fprintf(stderr, "%s in %s\n%s\n", how, current_case().c_str(), how_to_replay(current_case()).c_str());
  std::fflush(stderr);
  std::abort();
}

void plan(const Fault& fault) {
  control::fail_any_call(fault.k, fault.how, fault.whose);
  if (fault.second) control::fail_any_call(fault.k + fault.second->distance, fault.second->how, fault.whose);
}

/// On a thread of its own, which begins with nothing of what the last one left in its thread's state.
Outcome run_here(const Scenario& scenario, const std::optional<Fault>& fault) {
  Outcome outcome;
  const std::uint64_t own = control::calls(CallsOf::this_thread);
  const std::uint64_t others = control::calls(CallsOf::other_threads);
  Invariants invariants{fault ? fault->failures() : 0};
  if (fault) plan(*fault);
  invariants.attempt("the scenario", [&] { scenario.run(invariants); });
  outcome.violations = invariants.finish();
  outcome.failed = control::failed_calls();
  outcome.own_calls = control::calls(CallsOf::this_thread) - own;
  outcome.other_calls = control::calls(CallsOf::other_threads) - others;
  return outcome;
}

class Enumerator {
 public:
  Enumerator(const Scenario& scenario, Depth depth) : scenario_{scenario}, depth_{depth} {}

  Tally all() {
    static_cast<void>(run(scenario_, std::nullopt));  // what is made once in a process
    const Outcome clean = run(scenario_, std::nullopt);
    if (!clean.violations.empty()) note(scenario_.name, "without a fault:\n" + clean.violations.front());
    tally_.calls = clean.own_calls + clean.other_calls;
    of(CallsOf::this_thread, clean.own_calls);
    of(CallsOf::other_threads, std::min(clean.other_calls, most_of_others));
    return std::move(tally_);
  }

 private:
  void of(CallsOf whose, std::uint64_t calls) {
    for (std::uint64_t k = 1; k <= calls; k += depth_.stride) {
      for (const Failure how : {Failure::once, Failure::sticky}) one({.whose = whose, .k = k, .how = how});
      if (depth_.pairs) pairs_at(whose, k);
    }
  }
  void pairs_at(CallsOf whose, std::uint64_t k) {
    for (const std::uint64_t distance : {1U, 2U, 3U, 5U, 8U, 13U}) {
      for (const Failure second : {Failure::once, Failure::sticky})
        one({.whose = whose, .k = k, .second = Fault::Second{.distance = distance, .how = second}});
    }
  }
  void one(const Fault& fault) {
    const Outcome outcome = run(scenario_, fault);
    if (outcome.failed.size() == fault.failures()) ++(fault.second ? tally_.pairs : tally_.singles);
    if (outcome.violations.empty()) return;
    ++tally_.failures;
    const Case found{.scenario = std::string{scenario_.name}, .fault = fault};
    note(to_text(found), describe(found, outcome));
  }
  void note(std::string_view name, const std::string& what) {
    if (tally_.messages.size() < most_messages) tally_.messages.push_back(std::string{name} + ": " + what);
  }

  const Scenario& scenario_;
  const Depth depth_;
  Tally tally_;
};

}  // namespace

Outcome run(const Scenario& scenario, const std::optional<Fault>& fault) {
  current_case() = fault ? to_text({.scenario = std::string{scenario.name}, .fault = *fault}) : scenario.name;
  static_cast<void>(stage());
  control::clear_failures();
  control::complete_copies_at_enqueue(true);
  const std::terminate_handler before = std::set_terminate([] { die("terminated"); });
  std::promise<Outcome> promise;
  std::future<Outcome> outcome = promise.get_future();
  std::jthread runner{[&] { promise.set_value(run_here(scenario, fault)); }};
  if (outcome.wait_for(hang_limit) != std::future_status::ready) die("hangs");
  runner.join();
  std::set_terminate(before);
  control::clear_failures();
  control::revive_devices();
  control::complete_copies_at_enqueue(false);
  return outcome.get();
}

Tally enumerate(const Scenario& scenario, Depth depth) { return Enumerator{scenario, depth}.all(); }

std::string describe(const Case& one, const Outcome& outcome) {
  if (outcome.violations.empty()) return {};
  std::string text = "with a failing";
  for (const tailrace::DriverCall call : outcome.failed) text += " " + std::string{to_string(call)};
  for (const std::string& violation : outcome.violations) text += "\n  " + violation;
  return text + "\n  " + how_to_replay(to_text(one));
}

}  // namespace enumeration
