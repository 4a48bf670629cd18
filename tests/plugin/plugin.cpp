// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// A plugin that uses the default copy arena, and is its only user.

#include <tailrace/copy_streams.hpp>

#include <atomic>
#include <string>

/// Runs some jobs and ends everything again. Returns how many ran.
extern "C" TAILRACE_EXPORT int plugin_run() {
  constexpr int jobs = 16;
  std::atomic<int> ran{0};
  tailrace::CopyStreams streams;
  for (int job = 0; job < jobs; ++job) streams.async_load(std::to_string(job), [&ran] { ++ran; });
  for (int job = 0; job < jobs; ++job) streams.async_wait(std::to_string(job));
  return ran == jobs ? 0 : 1;
}
