// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

#include <tailrace/runtime.hpp>
#include <tailrace/self_test.hpp>

#include "tests/support/readbacks.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace {

using tailrace::Device;
using tailrace::Errc;
using tailrace::Runtime;
using tailrace::SelfTestPath;
using tailrace::SelfTestReport;
using test::error_of;

TEST(SelfTest, FindsEveryByteOfEveryPathRightOnEveryDevice) {
  for (int device = 0; device < test::device_count(); ++device) {
    const SelfTestReport report = tailrace::run_self_test(Device{device});
    EXPECT_TRUE(report.passed()) << to_string(report);
    EXPECT_EQ(report.device, device);
    std::set<std::string> names;
    for (const SelfTestPath& path : report.paths) {
      EXPECT_TRUE(path.passed()) << path.name;
      names.insert(path.name);
    }
    EXPECT_EQ(names.size(), report.paths.size());
    EXPECT_GE(report.paths.size(), 14U);
  }
}

TEST(SelfTest, LeavesTheCallersDeviceAndLastErrorAsTheyWere) {
  test::use_device(test::device_count() - 1);
  const int current = test::current_device();
  const int code = test::own_failing_call();
  static_cast<void>(tailrace::run_self_test(Device{0}));
  EXPECT_EQ(test::last_error(), code);
  EXPECT_EQ(test::current_device(), current);
  test::use_device(0);
}

TEST(SelfTest, IsRefusedBesideACaptureThatItWouldHarm) {
  const test::Stream blocking{test::Stream::blocking};
  for (const tailrace::StreamRef stream : {tailrace::StreamRef{blocking}, tailrace::StreamRef::per_thread()}) {
    test::begin_capture(stream, test::CaptureMode::global);
    EXPECT_EQ(error_of([] { static_cast<void>(tailrace::run_self_test(Device{0})); }), Errc::stream_capturing);
    EXPECT_TRUE(test::end_capture(stream));
  }
}

TEST(SelfTest, CanBeAskedForByARuntimeWhichThenWorks) {
  const test::Buffer source = test::on_device(test::pattern(4096));
  const test::Stream stream;
  Runtime runtime{Device{0}, {.self_test = true}};
  EXPECT_EQ(runtime.collect(runtime.submit(test::view(source), stream)), test::pattern(4096));
}

TEST(SelfTest, IsToldAsText) {
  SelfTestReport report{.device = 3};
  report.paths.push_back({.name = "good", .bytes = 12});
  report.paths.push_back({.name = "nothing"});
  report.paths.push_back({.name = "bad",
                          .bytes = 9,
                          .wrong = tailrace::WrongByte{
                              .offset = 5, .readback = 9, .expected = std::byte{0x4f}, .found = std::byte{0x0a}}});
  report.paths.push_back({.name = "failed", .failure = tailrace::Error{Errc::closed, "it is closed", "open it"}});
  EXPECT_EQ(to_string(report),
            "self-test of device 3\n"
            "  good     12 bytes right\n"
            "  nothing  nothing was compared\n"
            "  bad      WRONG: byte 5 of a readback of 9 bytes: expected 0x4f, found 0x0a\n"
            "  failed   FAILED: tailrace: it is closed. Fix: open it.\n");
  EXPECT_FALSE(report.passed());
  report.paths.resize(2);
  EXPECT_FALSE(report.passed());
  report.paths.resize(1);
  EXPECT_TRUE(report.passed());
  report.paths.clear();
  EXPECT_FALSE(report.passed());
}

}  // namespace
