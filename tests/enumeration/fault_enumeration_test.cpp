// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Every driver call of every scenario fails, once and for good: whatever fails, the invariants hold. TAILRACE_ENUMERATE
// sets how much is run (see depth()), TAILRACE_REPLAY names one case to be run again.

#include "tests/enumeration/enumeration.hpp"

#include <tailrace/devices.hpp>
#include <tailrace/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace enumeration {

void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

namespace {

std::vector<Scenario> scenarios() {
  std::vector<Scenario> all = ring_scenarios();
  std::ranges::copy(ring_set_scenarios(), std::back_inserter(all));
  std::ranges::copy(runtime_scenarios(), std::back_inserter(all));
  return all;
}

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view{} : value;
}

/// "pairs", or a number: every so many calls only.
Depth depth() {
  const std::string_view text = environment("TAILRACE_ENUMERATE");
  if (text == "pairs") return {.pairs = true};
  return {.stride = text.empty() ? 1 : std::max(1UL, std::strtoul(text.data(), nullptr, 10))};
}

class FaultEnumeration : public testing::TestWithParam<Scenario> {};

TEST_P(FaultEnumeration, FindsNothing) {
  const Tally tally = enumerate(GetParam(), depth());
  for (const std::string& message : tally.messages) ADD_FAILURE() << message;
  // For ci/enumerate.sh.
  std::printf("enumerated %-18s %6lu %8lu %8lu %8lu\n", std::string{GetParam().name}.c_str(), tally.calls,
              tally.singles, tally.pairs, tally.failures);
  EXPECT_EQ(tally.failures, 0U);
  EXPECT_GT(tally.singles, 0U);
}

INSTANTIATE_TEST_SUITE_P(Of, FaultEnumeration, testing::ValuesIn(scenarios()),
                         [](const auto& of) { return std::string{of.param.name}; });

/// One that goes wrong if its second call is the one to fail: what it is told it keeps to itself.
void forgetful(Invariants& check) {
  int calls = 0;
  try {
    for (; calls < 3; ++calls) static_cast<void>(tailrace::Device{0});
  } catch (const tailrace::Error&) {
    check.require(calls != 1, "the second call was forgotten");
  }
}

TEST(Replay, RunsTheCaseThatIsNamed) {
  const std::string_view text = environment("TAILRACE_REPLAY");
  if (text.empty()) GTEST_SKIP() << "TAILRACE_REPLAY names no case";
  const std::optional<Case> wanted = parse_case(text);
  ASSERT_TRUE(wanted) << text << " is no case. Fix: take one from the message of a failure";
  const std::vector<Scenario> all = scenarios();
  const auto found = std::ranges::find(all, wanted->scenario, &Scenario::name);
  ASSERT_NE(found, all.end()) << "there is no scenario '" << wanted->scenario << "'";
  const Outcome outcome = run(*found, wanted->fault);
  EXPECT_EQ(describe(*wanted, outcome), "");
  EXPECT_EQ(outcome.failed.size(), wanted->fault.failures()) << "the case was not reached";
}

TEST(FaultEnumerationItself, NamesTheCaseThatFailsSoThatItCanBeReplayed) {
  const Scenario scenario{"forgetful", forgetful};
  const Tally tally = enumerate(scenario, {});
  EXPECT_EQ(tally.failures, 2U);  // once and for good
  ASSERT_FALSE(tally.messages.empty());
  const std::string& message = tally.messages.front();
  EXPECT_NE(message.find("device_query"), std::string::npos) << message;
  const std::size_t begin = message.find("TAILRACE_REPLAY=");
  ASSERT_NE(begin, std::string::npos) << message;
  const std::string line = message.substr(begin + 16, message.find(' ', begin) - begin - 16);
  const std::optional<Case> replayed = parse_case(line);
  ASSERT_TRUE(replayed) << line;
  EXPECT_EQ(run(scenario, replayed->fault).violations, std::vector<std::string>{"the second call was forgotten"});
  Fault next = replayed->fault;
  ++next.k;
  EXPECT_TRUE(run(scenario, next).violations.empty());
}

TEST(FaultEnumerationItself, ReadsWhatItWrites) {
  for (const char* text : {"ring:own:1:once", "ring:others:17:sticky", "ring_set:own:3:once:13:sticky"}) {
    const std::optional<Case> one = parse_case(text);
    ASSERT_TRUE(one) << text;
    EXPECT_EQ(to_text(*one), text);
  }
  for (const char* text : {"", "ring", "ring:own", "ring:own:0:once", "ring:mine:1:once", "ring:own:1:twice",
                           "ring:own:1:once:2", "ring:own:1:once:2:once:3", "ring:own:1x:once"}) {
    EXPECT_FALSE(parse_case(text)) << text;
  }
}

}  // namespace
}  // namespace enumeration
