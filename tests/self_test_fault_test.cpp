// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

#include <tailrace/runtime.hpp>
#include <tailrace/self_test.hpp>

#include "src/self_test_paths.hpp"
#include "tests/support/host_backend.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace {

using namespace test::host_backend;
using control::Failure;
using detail::SelfTestBed;
using detail::TestedPath;

class SelfTestFaults : public HostBackend {
 protected:
  const Device device{0};

  static SelfTestPath read(const TestedPath& tested) {
    SelfTestBed bed{Device{0}};
    SelfTestPath path;
    tested.read(bed, path);
    bed.settle();
    return path;
  }
  static std::uint64_t copies_of(const TestedPath& tested) {
    const std::uint64_t before = control::calls(DriverCall::copy);
    static_cast<void>(read(tested));
    return control::calls(DriverCall::copy) - before;
  }
  [[nodiscard]] std::optional<Errc> refusal(std::optional<bool> self_test, Device of) const {
    try {
      RuntimeOptions options;
      options.self_test = self_test;
      const Runtime runtime{of, std::move(options)};
    } catch (const Error& error) {
      message_ = error.what();
      return error.errc();
    }
    return std::nullopt;
  }
  mutable std::string message_;
};

TEST_F(SelfTestFaults, AWrongByteIsFoundInTheFirstAndTheLastCopyOfEveryPath) {
  for (const TestedPath& tested : detail::tested_paths()) {
    for (const std::uint64_t copy : {std::uint64_t{1}, copies_of(tested)}) {
      control::fail_call(DriverCall::copy, copy, Failure::wrong_byte);
      const SelfTestPath path = read(tested);
      ASSERT_TRUE(path.wrong) << tested.name << ", copy " << copy;
      EXPECT_EQ(path.wrong->found, ~path.wrong->expected) << tested.name;
      EXPECT_LT(path.wrong->offset, path.wrong->readback) << tested.name;
      EXPECT_FALSE(path.passed());
    }
    EXPECT_TRUE(read(tested).passed()) << tested.name;
  }
}

TEST_F(SelfTestFaults, BytesOfTheRoundBeforeAreFoundOnEveryPath) {
  for (const TestedPath& tested : detail::tested_paths()) {
    control::fail_call(DriverCall::copy, copies_of(tested), Failure::silent);
    EXPECT_TRUE(read(tested).wrong) << tested.name;
  }
}

#ifndef __SANITIZE_THREAD__  // rightly finds the race that this makes
// What a copy reads that is in no order with the producer is a matter of chance; it is not that it never goes wrong.
TEST_F(SelfTestFaults, AMissingOrderOfStreamsIsFound) {
  const auto found = [](const TestedPath& tested, std::uint64_t wait) {
    for (int attempt = 0; attempt < 100; ++attempt) {
      control::fail_call(DriverCall::stream_wait, wait, Failure::silent);
      if (read(tested).wrong) return true;
    }
    return false;
  };
  int tried = 0;
  for (const TestedPath& tested : detail::tested_paths()) {
    if (!std::string_view{tested.name}.starts_with("order: ")) continue;
    EXPECT_TRUE(found(tested, 1)) << "the copy after the producer, " << tested.name;
    EXPECT_TRUE(found(tested, 2)) << "the producer after the copy, " << tested.name;
    ++tried;
  }
  EXPECT_EQ(tried, 4);
}
#endif

TEST_F(SelfTestFaults, AreReportedWithThePathAndTheByte) {
  control::fail_call(DriverCall::copy, 2, Failure::wrong_byte);  // the second readback is of 4 bytes too
  const SelfTestReport report = run_self_test(device);
  EXPECT_FALSE(report.passed());
  ASSERT_TRUE(report.paths[0].wrong);
  EXPECT_EQ(report.paths[0].wrong->offset, 2U);
  EXPECT_EQ(report.paths[0].wrong->readback, 4U);
  for (std::size_t i = 1; i < report.paths.size(); ++i) EXPECT_TRUE(report.paths[i].passed()) << report.paths[i].name;
}

TEST_F(SelfTestFaults, OfACallAreNotTakenForAWrongByte) {
  control::fail_call(DriverCall::copy, 3);
  const SelfTestReport report = run_self_test(device);
  EXPECT_FALSE(report.passed());
  ASSERT_TRUE(report.paths[0].failure);
  EXPECT_EQ(report.paths[0].failure->errc(), Errc::driver_error);
  EXPECT_NE(std::string{report.paths[0].failure->what()}.find(report.paths[0].name), std::string::npos);
  for (std::size_t i = 1; i < report.paths.size(); ++i) EXPECT_TRUE(report.paths[i].passed()) << report.paths[i].name;
}

TEST_F(SelfTestFaults, OfAnyCallAreNeverTakenForAWrongByte) {
  const std::uint64_t before = control::calls();
  static_cast<void>(run_self_test(device));
  const std::uint64_t calls = control::calls() - before;
  for (std::uint64_t k = 1; k < calls; k += 1 + calls / 6) {
    control::fail_any_call(k);
    try {
      for (const SelfTestPath& path : run_self_test(device).paths) EXPECT_FALSE(path.wrong) << k << path.name;
    } catch (const Error&) {  // it could not begin
    }
    control::clear_failures();
  }
}

TEST_F(SelfTestFaults, GiveEverythingBack) {
  const control::Resources before = control::resources();
  const auto expect_all_back = [&before] {
    const control::Resources now = control::resources();
    EXPECT_EQ(now.pinned_bytes, before.pinned_bytes);
    EXPECT_EQ(now.device_bytes, before.device_bytes);
    EXPECT_EQ(now.streams, before.streams);
    EXPECT_EQ(now.events, before.events);
  };
  EXPECT_TRUE(run_self_test(device).passed());
  expect_all_back();
  control::fail_call(DriverCall::copy, 5, Failure::wrong_byte);
  EXPECT_FALSE(run_self_test(device).passed());
  expect_all_back();
  for (const std::uint64_t copy : {1, 100}) {
    control::fail_call(DriverCall::copy, copy);
    EXPECT_FALSE(run_self_test(device).passed());
    expect_all_back();
  }
  for (const DriverCall kind : {DriverCall::stream_create, DriverCall::device_allocate, DriverCall::pinned_allocate}) {
    for (const std::uint64_t k : {1, 2}) {
      control::fail_call(kind, k);
      try {
        EXPECT_FALSE(run_self_test(device).passed());
      } catch (const Error&) {  // it could not begin
      }
      expect_all_back();
    }
  }
}

TEST_F(SelfTestFaults, EndTheTestIfTheDeviceIsLost) {
  control::fail_call(DriverCall::copy, 30, Failure::sticky);
  const SelfTestReport report = run_self_test(device);
  EXPECT_FALSE(report.passed());
  ASSERT_TRUE(report.paths.back().failure);
  EXPECT_EQ(report.paths.back().failure->errc(), Errc::device_lost);
  EXPECT_LT(report.paths.size(), detail::tested_paths().size());
  EXPECT_EQ(errc_of([&] { static_cast<void>(run_self_test(device)); }), Errc::device_lost);
  EXPECT_EQ(host::current_device(), 0);
}

// One test, since the process remembers what passed: device 0 is tested for the option, 1 for the environment.
TEST_F(SelfTestFaults, RefuseARuntimeUntilTheDevicePassedOnce) {
  const auto uploads = [] { return control::calls(DriverCall::upload); };
  control::fail_call(DriverCall::copy, 1, Failure::wrong_byte);
  EXPECT_EQ(refusal(true, device), Errc::self_test_failed);
  for (const char* part :
       {"device 0", "'ring: plain copies'", "byte 2 of a readback of 4 ", "expected 0x", "found 0x"}) {
    EXPECT_NE(message_.find(part), std::string::npos) << message_;
  }
  EXPECT_NE(message_.find("Fix: "), std::string::npos) << message_;
  control::fail_call(DriverCall::copy, 1);
  EXPECT_EQ(refusal(true, device), Errc::driver_error);
  std::uint64_t before = uploads();
  EXPECT_EQ(refusal(std::nullopt, device), std::nullopt);
  EXPECT_EQ(refusal(false, device), std::nullopt);
  EXPECT_EQ(uploads(), before) << "tested without being asked to";
  EXPECT_EQ(refusal(true, device), std::nullopt);
  EXPECT_GT(uploads(), before) << "not tested again after it had failed";
  before = uploads();
  EXPECT_EQ(refusal(true, device), std::nullopt);
  EXPECT_EQ(uploads(), before) << "tested twice";

  const Device other{1};
  const auto set = [](const char* text) { ::setenv("TAILRACE_SELF_TEST", text, 1); };  // NOLINT(concurrency-mt-unsafe)
  set("maybe");
  EXPECT_EQ(refusal(std::nullopt, other), Errc::invalid_argument);
  EXPECT_EQ(refusal(false, other), std::nullopt);
  set("0");
  EXPECT_EQ(refusal(std::nullopt, other), std::nullopt);
  set("1");
  EXPECT_EQ(refusal(false, other), std::nullopt);
  EXPECT_EQ(uploads(), before) << "tested although it was not to be";
  control::fail_call(DriverCall::copy, 1, Failure::wrong_byte);
  EXPECT_EQ(refusal(std::nullopt, other), Errc::self_test_failed);
  EXPECT_EQ(refusal(std::nullopt, other), std::nullopt);
  ::unsetenv("TAILRACE_SELF_TEST");  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace
