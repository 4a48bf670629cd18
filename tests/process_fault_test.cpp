// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// Loses the device under rings and runtimes, and lets everything go out of scope: the first cause can be had, results
// that were there can be collected, and the process ends as intended with one diagnostic of each owner.

#include <tailrace/error.hpp>
#include <tailrace/runtime.hpp>

#include "tests/support/device.hpp"
#include "tests/support/process.hpp"

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using tailrace::Device;
using tailrace::DeviceView;
using tailrace::Errc;
using tailrace::Error;
using tailrace::Ticket;

std::atomic<int> messages{0};

void count(tailrace::LogLevel level, std::string_view text) {
  std::printf("%.*s\n", static_cast<int>(text.size()), text.data());
  if (level != tailrace::LogLevel::info) ++messages;
}

template <class F>
std::optional<Error> failure_of(F&& call) {
  try {
    std::forward<F>(call)();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

bool is_cause(const std::optional<Error>& error, Errc code) {
  return error && error->errc() == code && error->native_code() != 0 && !error->native_name().empty();
}

bool lose_the_device_under(tailrace::ReadbackRing& ring, tailrace::Runtime& runtime) {
  // Never destroyed: the vendors' objects need a device that is well.
  auto& stream = test::never_destroyed<test::Stream>();
  auto& buffer = test::never_destroyed<test::Buffer>(100'000U);
  auto& array = test::never_destroyed<std::vector<std::byte>>(buffer.size());
  const DeviceView small{buffer.data(), 64};
  const Ticket ready = ring.submit(small, stream);
  ring.wait(ready);
  const Ticket pending = ring.submit(small, stream);
  static_cast<void>(runtime.submit(small, stream));
  static_cast<void>(runtime.submit({buffer.data(), 5000}, stream));
  runtime.async_read("array", array, {buffer.data(), buffer.size()}, stream, {.snapshot = true});
  test::fault_device();

  bool good = ring.collect(ready).size() == 64;
  const auto of_pending = failure_of([&] { static_cast<void>(ring.collect(pending)); });
  good &= !of_pending || is_cause(of_pending, Errc::copy_failed);  // it may have been over before
  const auto of_submission = failure_of([&] { return ring.submit(small, stream); });
  good &= is_cause(of_submission, Errc::device_lost);
  for (int i = 0; i < 100; ++i) {
    good &= is_cause(failure_of([&] { return runtime.submit(small, stream); }), Errc::device_lost);
    good &= is_cause(failure_of([&] { runtime.read(array, small, stream); }), Errc::device_lost);
  }
  const auto of_read = failure_of([&] { runtime.async_wait("array"); });
  return good && (!of_read || of_read->native_code() != 0);
}

int everything_goes_out_of_scope() {
  bool good = false;
  {
    tailrace::ReadbackRing ring{Device{0}, {.slots = 4, .log = count}};
    tailrace::Runtime runtime{Device{0}, {.chunk_bytes = 4096, .chunk_slots = 2, .log = count}};
    good = lose_the_device_under(ring, runtime);
  }
  return good && messages == 2 ? test::intended_status : 1;
}

int everything_is_static() {
  static tailrace::ReadbackRing ring{Device{0}, {.slots = 4, .log = count}};
  static tailrace::Runtime runtime{Device{0}, {.chunk_bytes = 4096, .chunk_slots = 2, .log = count}};
  const bool good = lose_the_device_under(ring, runtime);
  return good && messages == 2 ? test::intended_status : 1;
}

constexpr test::Scenario scenarios[] = {
    {"everything goes out of scope", everything_goes_out_of_scope},
    {"everything is static", everything_is_static},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1 && test::device_count() == 0) return 77;
  return test::run_scenarios(argc, argv, scenarios);
}
