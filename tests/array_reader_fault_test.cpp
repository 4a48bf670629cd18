// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

#include <tailrace/error.hpp>
#include <tailrace/runtime.hpp>
#include <tailrace/testing.hpp>

#include "tests/support/readbacks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tailrace::Device;
using tailrace::DriverCall;
using tailrace::Errc;
using tailrace::Error;
using tailrace::Runtime;
using tailrace::RuntimeOptions;
using test::error_of;
namespace faults = tailrace::control;

constexpr std::size_t chunk = 4096;
constexpr std::size_t bytes = 10 * chunk;

class ArrayReaderFaultTest : public testing::Test {
 protected:
  const Device device{0};
  test::Stream stream;
  const std::vector<std::byte> content = test::pattern(bytes);
  test::Buffer source = test::on_device(content);
  std::vector<std::byte> got = std::vector<std::byte>(bytes);
  test::Log log;
  const RuntimeOptions options{.chunk_bytes = chunk, .chunk_slots = 3, .log = log.handler()};

  ~ArrayReaderFaultTest() override { faults::clear_failures(); }

  /// Reads one way or the other. What is thrown, if anything.
  std::optional<Error> failure_of_read(Runtime& runtime, bool async, tailrace::ReadOptions how = {}) {
    std::ranges::fill(got, std::byte{});
    try {
      if (async) {
        runtime.async_read("array", got, test::view(source), stream, how);
        runtime.async_wait("array");
      } else {
        runtime.read(got, test::view(source), stream, how);
      }
    } catch (const Error& error) {
      return error;
    }
    return std::nullopt;
  }
  void expect_works(Runtime& runtime) {
    for (const bool async : {false, true}) {
      const auto failure = failure_of_read(runtime, async);
      ASSERT_FALSE(failure) << failure->what();
      ASSERT_EQ(got, content);
    }
  }
  static void expect_nothing_held(const Runtime& runtime) {
    EXPECT_EQ(runtime.statistics().chunks.outstanding, 0U);
    EXPECT_EQ(test::last_error(), 0);
  }
};

TEST_F(ArrayReaderFaultTest, TellsTheGoodLeadingBytesIfTheSixthOfTenChunksCannotBeEnqueued) {
  for (const bool async : {false, true}) {
    Runtime runtime{device, options};
    expect_works(runtime);
    const std::uint64_t copies = faults::calls(DriverCall::copy);
    faults::fail_call(DriverCall::copy, 6);
    const auto failure = failure_of_read(runtime, async);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->errc(), Errc::driver_error);
    EXPECT_EQ(failure->native_name(), "hostErrorInjected");
    EXPECT_EQ(failure->good_bytes(), 5 * chunk);
    EXPECT_TRUE(std::equal(got.begin(), got.begin() + 5 * chunk, content.begin()));
    EXPECT_EQ(faults::calls(DriverCall::copy), copies + 6);  // and no further ones
    expect_nothing_held(runtime);
    expect_works(runtime);
    EXPECT_EQ(runtime.statistics().read_errors, 1U);
  }
}

TEST_F(ArrayReaderFaultTest, TellsTheGoodLeadingBytesIfAChunkIsNotProvenComplete) {
  for (const bool async : {false, true}) {
    Runtime runtime{device, options};
    expect_works(runtime);
    const std::uint64_t copies = faults::calls(DriverCall::copy);
    faults::fail_call(DriverCall::event_query, 2);  // of at least three, however many marks each tells of
    const auto failure = failure_of_read(runtime, async);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->errc(), Errc::copy_failed);
    EXPECT_EQ(failure->native_name(), "hostErrorInjected");
    ASSERT_TRUE(failure->good_bytes());
    const std::size_t good = *failure->good_bytes();
    EXPECT_LT(good, bytes);
    EXPECT_EQ(good % chunk, 0U);
    EXPECT_TRUE(std::equal(got.begin(), got.begin() + std::ptrdiff_t(good), content.begin()));
    EXPECT_LE(faults::calls(DriverCall::copy), copies + good / chunk + 3);
    expect_nothing_held(runtime);
    expect_works(runtime);
  }
}

TEST_F(ArrayReaderFaultTest, EndsWellWhereverACallFails) {
  for (const bool snapshot : {false, true}) {
    for (std::uint64_t k = 1; k < 120; ++k) {
      Runtime runtime{device, options};
      if (k % 2 == 0) expect_works(runtime);
      faults::fail_any_call(k);
      const auto failure = failure_of_read(runtime, k % 3 == 0, {.snapshot = snapshot});
      faults::clear_failures();
      if (!failure) {
        ASSERT_EQ(got, content) << k;
      } else if (const auto good = failure->good_bytes()) {
        ASSERT_TRUE(std::equal(got.begin(), got.begin() + std::ptrdiff_t(*good), content.begin())) << k;
      }
      expect_nothing_held(runtime);
      expect_works(runtime);
    }
  }
  for (const std::string& warning : log.warnings()) {
    EXPECT_NE(warning.find("for snapshots are kept"), std::string::npos) << warning;  // the failing call was to free it
  }
}

TEST_F(ArrayReaderFaultTest, EndsWellWhereverACallOfADirectReadFails) {
  const std::unique_ptr<void, void (*)(void*)> pinned{test::pinned_allocate(bytes), test::pinned_free};
  const std::span destination{static_cast<std::byte*>(pinned.get()), bytes};
  for (std::uint64_t k = 1; k < 40; ++k) {
    Runtime runtime{device, options};
    std::ranges::fill(destination, std::byte{});
    faults::fail_any_call(k);
    const auto failure = error_of([&] { runtime.read(destination, test::view(source), stream); });
    faults::clear_failures();
    ASSERT_TRUE(failure || std::ranges::equal(destination, content)) << k;
    runtime.read(destination, test::view(source), stream);
    ASSERT_TRUE(std::ranges::equal(destination, content)) << k;
  }
}

TEST_F(ArrayReaderFaultTest, LeavesNoResourceBehindWhereverACallFails) {
  const faults::Resources before = faults::resources();
  for (std::uint64_t k = 1; k < 60; ++k) {
    Runtime runtime{device, options};
    faults::fail_any_call(k);
    static_cast<void>(failure_of_read(runtime, k % 2 == 0, {.snapshot = k % 4 < 2}));
    faults::clear_failures();
  }
  const faults::Resources after = faults::resources();
  EXPECT_EQ(after.pinned_bytes, before.pinned_bytes);
  EXPECT_EQ(after.streams, before.streams);
  EXPECT_EQ(after.events, before.events);
  // At most the snapshot whose end could not be recorded: nothing tells when its memory is free of writes.
  EXPECT_LE(after.device_bytes, before.device_bytes + bytes);
}

TEST_F(ArrayReaderFaultTest, NamesTheMissingMemory) {
  Runtime runtime{device, options};
  faults::fail_call(DriverCall::pinned_allocate, 1);
  const auto pinned = failure_of_read(runtime, false);
  ASSERT_TRUE(pinned);
  EXPECT_EQ(pinned->errc(), Errc::out_of_pinned_memory);
  EXPECT_EQ(pinned->good_bytes(), 0U);
  faults::fail_call(DriverCall::device_allocate, 1);
  EXPECT_TRUE(failure_of_read(runtime, true, {.snapshot = true}));
  EXPECT_EQ(runtime.statistics().snapshot_bytes, 0U);
  expect_works(runtime);
}

TEST_F(ArrayReaderFaultTest, UsesNoSnapshotAgainThatMayStillBeWritten) {
  Runtime runtime{device, options};
  static_cast<void>(failure_of_read(runtime, false, {.snapshot = true}));
  test::Stream other;
  std::vector<std::byte> second(bytes);
  test::Buffer changed = test::on_device(test::pattern(bytes, 1));
  test::Hold hold{stream};
  faults::fail_call(DriverCall::event_record, 2);  // behind the copy into the snapshot
  EXPECT_TRUE(failure_of_read(runtime, true, {.snapshot = true}));
  runtime.async_read("second", second, test::view(changed), other, {.snapshot = true});
  hold.release();
  stream.synchronize();
  runtime.async_wait("second");
  EXPECT_EQ(second, test::pattern(bytes, 1));
  EXPECT_EQ(runtime.statistics().snapshot_bytes, 2 * bytes);  // the first is never used again
}

TEST_F(ArrayReaderFaultTest, RefusesToGuardTheSourceOfAFailedReadThatMayStillBeReading) {
  static void* const pinned = test::pinned_allocate(bytes);  // never freed: the copy may still write it
  RuntimeOptions impatient = options;
  impatient.close_bound = 1ms;
  Runtime runtime{device, impatient};
  expect_works(runtime);
  test::Stream other;
  test::Hold hold{stream};
  runtime.async_read("array", std::span{static_cast<std::byte*>(pinned), bytes}, test::view(source), stream);
  runtime.guard_source("array", other);  // its copy is enqueued
  faults::fail_call(DriverCall::event_query, 1);
  while (!runtime.finished("array")) std::this_thread::yield();
  EXPECT_EQ(error_of([&] { runtime.guard_source("array", other); }), Errc::copy_failed);
  EXPECT_EQ(error_of([&] { runtime.async_wait("array"); }), Errc::driver_error);
  hold.release();
  const tailrace::CloseReport report = runtime.close(10s);
  EXPECT_FALSE(report.drained);
  EXPECT_EQ(report.in_flight, 1U);
}

TEST_F(ArrayReaderFaultTest, WaitsForNoProofOfADeviceThatIsLostMeanwhile) {
  static void* const pinned = test::pinned_allocate(bytes);  // never freed: the copy may still write it
  RuntimeOptions patient = options;
  patient.close_bound = 1h;
  for (const bool direct : {false, true}) {
    Runtime runtime{device, patient};
    test::Stream other;
    test::Hold hold{stream};
    const std::span destination = direct ? std::span{static_cast<std::byte*>(pinned), bytes} : std::span{got};
    runtime.async_read("array", destination, test::view(source), stream, {.snapshot = !direct});
    runtime.guard_source("array", other);  // its copy is enqueued
    faults::fail_call(DriverCall::event_query, 1);
    while (faults::failed_calls().empty()) std::this_thread::yield();
    faults::lose_device(0);
    EXPECT_TRUE(error_of([&] { runtime.async_wait("array"); }));
    faults::clear_failures();
    runtime.close(1h);
    faults::revive_devices();
  }
}

TEST_F(ArrayReaderFaultTest, SaysThatTheMemoryOfASnapshotIsKept) {
  test::Hold hold{stream};
  {
    RuntimeOptions impatient = options;
    impatient.close_bound = 1ms;
    Runtime runtime{device, impatient};
    faults::fail_call(DriverCall::stream_create, 1);  // of the chunks, which would be kept too
    runtime.async_read("array", got, test::view(source), stream, {.snapshot = true});
    EXPECT_TRUE(error_of([&] { runtime.async_wait("array"); }));
  }
  const std::vector<std::string> warnings = log.warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings.front().find(std::to_string(bytes) + " bytes of device memory for snapshots are kept"), 0U);
  EXPECT_NE(warnings.front().find("Fix: "), std::string::npos);
}

TEST_F(ArrayReaderFaultTest, GuardsTheSourceOfAFailedReadWhoseCopiesAreOver) {
  Runtime runtime{device, options};
  expect_works(runtime);
  test::Stream other;
  faults::fail_call(DriverCall::copy, 6);
  runtime.async_read("array", got, test::view(source), stream);
  while (!runtime.finished("array")) std::this_thread::yield();
  runtime.guard_source("array", other);
  EXPECT_EQ(error_of([&] { runtime.async_wait("array"); }), Errc::driver_error);
  EXPECT_TRUE(runtime.close(10s).drained);
}

TEST_F(ArrayReaderFaultTest, LogsWithoutALockWhileItCloses) {
  std::unique_ptr<Runtime> runtime;
  std::atomic<int> told{0};
  RuntimeOptions asking = options;
  asking.log = [&](tailrace::LogLevel, std::string_view) {
    static_cast<void>(runtime->statistics());
    ++told;
  };
  runtime = std::make_unique<Runtime>(device, asking);
  expect_works(*runtime);
  test::Hold hold{stream};
  runtime->async_read("array", got, test::view(source), stream);
  while (runtime->statistics().chunks.outstanding == 0) std::this_thread::yield();
  EXPECT_FALSE(runtime->close(0s).drained);
  EXPECT_EQ(error_of([&] { runtime->async_wait("array"); }), Errc::closed);
  faults::lose_device(0);
  static_cast<void>(runtime->close(10s));
  EXPECT_EQ(told, 1);
  hold.release();
  faults::revive_devices();
}

TEST_F(ArrayReaderFaultTest, KeepsEverythingWithOneWarningIfACallIsStillInside) {
  RuntimeOptions impatient = options;
  impatient.close_bound = 1ms;
  auto runtime = std::make_unique<Runtime>(device, impatient);
  faults::PinnedAllocationHold hold;
  std::thread reader{[&, &inside = *runtime] {
    EXPECT_EQ(error_of([&] { inside.read(got, test::view(source), stream); }), Errc::closed);
  }};
  hold.wait_until_blocked();
  EXPECT_FALSE(runtime->close(0s).drained);
  runtime.reset();
  ASSERT_EQ(log.warnings().size(), 1U);
  EXPECT_NE(log.warnings().front().find("kept until the process ends. Fix: "), std::string::npos);
  hold.release();
  reader.join();
}

TEST_F(ArrayReaderFaultTest, SaysOnceThatACounterRestarted) {
  faults::start_counters_at(~std::uint64_t{0});
  Runtime runtime{device, options};
  faults::start_counters_at(0);
  expect_works(runtime);
  expect_works(runtime);
  const std::vector<std::string> warnings = log.warnings();
  EXPECT_EQ(std::ranges::count_if(
                warnings, [](const std::string& text) { return text.find("large reads") != std::string::npos; }),
            1);
}

// The vendors' frees wait for the device, and so for the stalled producer.
TEST_F(ArrayReaderFaultTest, EndsWithinItsBoundBesideAStalledProducer) {
  for (const bool snapshot : {false, true}) {
    std::vector<std::byte> never(bytes);
    test::Hold hold{stream};
    {
      RuntimeOptions impatient = options;
      impatient.close_bound = 1ms;
      Runtime runtime{device, impatient};
      runtime.async_read("stalled", never, test::view(source), stream, {.snapshot = snapshot});
    }
    hold.release();
    stream.synchronize();
    ASSERT_EQ(never, std::vector<std::byte>(bytes));
  }
  // Of each: the pinned memory that is kept, the tag that was not waited for; and the memory of the snapshot.
  EXPECT_LE(log.warnings().size(), 5U);
}

TEST_F(ArrayReaderFaultTest, RefusesEverythingWithTheFirstCauseOnceTheDeviceIsLost) {
  {
    Runtime runtime{device, options};
    expect_works(runtime);
    test::Hold hold{stream};
    runtime.async_read("array", got, test::view(source), stream);
    faults::fail_call(DriverCall::event_query, 1, faults::Failure::sticky);
    const auto failure = error_of([&] { runtime.async_wait("array"); });
    EXPECT_TRUE(failure == Errc::copy_failed || failure == Errc::device_lost);
    EXPECT_EQ(error_of([&] { runtime.read(got, test::view(source), stream); }), Errc::device_lost);
    EXPECT_EQ(error_of([&] { return runtime.submit(test::view(source), stream); }), Errc::device_lost);
    EXPECT_EQ(error_of([&] { runtime.guard_source("array", stream); }), Errc::unknown_tag);
  }
  EXPECT_EQ(log.errors().size(), 1U);  // one diagnostic, and not hundreds
  EXPECT_TRUE(log.warnings().empty());
  faults::revive_devices();
}

}  // namespace
