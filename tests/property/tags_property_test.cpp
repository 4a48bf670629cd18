// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Any sequence of calls on copy streams ends as a map of tags says. RC_PARAMS as in ring_property_test.cpp.

#include <tailrace/copy_streams.hpp>
#include <tailrace/error.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using tailrace::Errc;

enum Kind { load, load_throws, wait, finished, overlap, kinds };
struct Thrown {};

RC_GTEST_PROP(TagsProperty, EverySequenceOfCallsEndsAsAMapOfTagsSays, ()) {
  const auto calls = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange<int>(0, kinds), rc::gen::inRange(0, 4)));
  struct Job {
    std::shared_ptr<int> runs;
    bool throws;
  };
  std::map<std::string, Job> jobs;
  tailrace::CopyStreams streams{{.queue_limit = 2, .log = [](auto, auto) {}}};
  for (const auto& [kind, number] : calls) {
    const std::string tag = "tag " + std::to_string(number);
    const auto known = jobs.find(tag);
    std::optional<Errc> ending;
    bool thrown = false;
    auto runs = std::make_shared<int>(0);
    bool computed = false;
    try {
      if (kind == load) streams.async_load(tag, [runs] { ++*runs; });
      if (kind == load_throws) streams.async_load(tag, [runs] { ++*runs, throw Thrown{}; });
      if (kind == wait) streams.async_wait(tag);
      if (kind == finished) static_cast<void>(streams.finished(tag));
      if (kind == overlap) streams.overlap_copy_compute(tag, [runs] { ++*runs; }, [&] { computed = true; });
    } catch (const tailrace::Error& error) {
      ending = error.errc();
    } catch (const Thrown&) {
      thrown = true;
    }
    const bool starts = kind == load || kind == load_throws || kind == overlap;
    const bool in_flight = known != jobs.end();
    RC_ASSERT(ending ==
              (starts == in_flight ? std::optional{starts ? Errc::tag_in_flight : Errc::unknown_tag} : std::nullopt));
    RC_ASSERT(thrown == (kind == wait && in_flight && known->second.throws));
    RC_ASSERT(computed == (kind == overlap && !in_flight));
    if (computed) RC_ASSERT(*runs == 1);  // not in one expression: the macro would look at both halves
    if (ending) continue;
    if (kind == wait) {
      RC_ASSERT(*known->second.runs == 1);
      RC_ASSERT(known->second.runs.use_count() == 1);  // its captures are gone
      jobs.erase(known);
    }
    if (kind == load || kind == load_throws) jobs[tag] = {runs, kind == load_throws};
  }
}

}  // namespace
