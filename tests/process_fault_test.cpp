// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// Loses the device before, during and after copies of rings and runtimes, or has it reset, and lets everything go out
// of scope: the first cause can be had, results that were there can be collected, and the process ends as intended with
// one diagnostic of each owner.

#include <tailrace/error.hpp>
#include <tailrace/runtime.hpp>

#include "tests/support/device.hpp"
#include "tests/support/process.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string_view>
#include <thread>
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

int before_anything() {
  auto& stream = test::never_destroyed<test::Stream>();
  auto& buffer = test::never_destroyed<test::Buffer>(64U);
  bool good = false;
  {
    const Device device{0};
    tailrace::Runtime runtime{device, {.log = count}};  // has used nothing yet
    test::fault_device();
    std::vector<std::byte> room(buffer.size());
    const DeviceView view{buffer.data(), buffer.size()};
    good = is_cause(failure_of([&] { return runtime.submit(view, stream); }), Errc::device_lost);
    good &= is_cause(failure_of([&] { runtime.read(room, view, stream); }), Errc::device_lost);
    good &= is_cause(failure_of([&] { tailrace::ReadbackRing{device, {.log = count}}; }), Errc::device_lost);
  }
  return good && messages <= 1 ? test::intended_status : 1;
}

/// The kernel that faults is on the producer, and so before the copies, and runs when all of them are enqueued.
bool lose_the_device_before_pending_copies(tailrace::ReadbackRing& ring, tailrace::Runtime& runtime) {
  auto& stream = test::never_destroyed<test::Stream>();
  auto& buffer = test::never_destroyed<test::Buffer>(100'000U);
  auto& array = test::never_destroyed<std::vector<std::byte>>(buffer.size());
  const DeviceView small{buffer.data(), 64};
  const Ticket ready = ring.submit(small, stream);
  ring.wait(ready);
  // Everything is made before the stream is held: to make it may wait for the device.
  static_cast<void>(runtime.collect(runtime.submit(small, stream)));
  runtime.read(array, {buffer.data(), buffer.size()}, stream);
  auto& hold = test::never_destroyed<test::Hold>(stream);
  test::enqueue_fault(stream);
  const Ticket waited_for = ring.submit(small, stream);
  const Ticket looked_at = ring.submit(small, stream);
  const Ticket in_runtime = runtime.submit(small, stream);
  runtime.async_read("array", array, {buffer.data(), buffer.size()}, stream);
  hold.release();

  bool good = is_cause(failure_of([&] { static_cast<void>(ring.collect(waited_for)); }), Errc::copy_failed);
  good &= ring.state(looked_at) == tailrace::SlotState::error;
  good &= is_cause(failure_of([&] { static_cast<void>(ring.collect(looked_at)); }), Errc::copy_failed);
  good &= is_cause(failure_of([&] { static_cast<void>(runtime.collect(in_runtime)); }), Errc::copy_failed);
  const auto of_read = failure_of([&] { runtime.async_wait("array"); });
  good &= of_read && of_read->native_code() != 0 && of_read->good_bytes() == 0;
  good &= is_cause(failure_of([&] { return ring.submit(small, stream); }), Errc::device_lost);
  return good && ring.collect(ready).size() == 64;
}

int during_copies() {
  bool good = false;
  {
    tailrace::ReadbackRing ring{Device{0}, {.slots = 4, .log = count}};
    tailrace::Runtime runtime{Device{0}, {.chunk_bytes = 4096, .chunk_slots = 2, .log = count}};
    good = lose_the_device_before_pending_copies(ring, runtime);
  }
  return good && messages == 2 ? test::intended_status : 1;
}

/// Nothing is looked at that was in memory which the vendor has freed; all else ends with an error, and without a
/// crash.
int reset_by_another_thread() {
  bool good = false;
  {
    auto& stream = test::never_destroyed<test::Stream>();
    auto& buffer = test::never_destroyed<test::Buffer>(100'000U);
    std::vector<std::byte> room(buffer.size());
    const DeviceView small{buffer.data(), 64};
    tailrace::ReadbackRing ring{Device{0}, {.slots = 4, .close_bound = std::chrono::milliseconds{100}, .log = count}};
    tailrace::Runtime runtime{Device{0}, {.close_bound = std::chrono::milliseconds{100}, .log = count}};
    const Ticket pending = ring.submit(small, stream);
    static_cast<void>(runtime.submit(small, stream));
    bool reset = false;
    std::thread{[&reset] {
      test::use_device(0);
      reset = test::reset_device();
    }}.join();
    if (!reset) return test::intended_status;
    good = failure_of([&] { static_cast<void>(ring.collect(pending)); }).has_value();
    good &= failure_of([&] { return ring.submit(small, stream); }).has_value();
    good &= failure_of([&] { return runtime.submit(small, stream); }).has_value();
    good &= failure_of([&] { runtime.read(room, {buffer.data(), buffer.size()}, stream); }).has_value();
  }
  return good ? test::intended_status : 1;
}

constexpr test::Scenario scenarios[] = {
    {"before anything", before_anything},
    {"during copies", during_copies},
    {"reset by another thread", reset_by_another_thread},
    {"everything goes out of scope", everything_goes_out_of_scope},
    {"everything is static", everything_is_static},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1 && test::device_count() == 0) return 77;
  return test::run_scenarios(argc, argv, scenarios);
}
