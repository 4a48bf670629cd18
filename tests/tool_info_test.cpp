// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

#include "src/tool/info.hpp"
#include "tests/support/host_backend.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace {

using namespace test::host_backend;
using tool::ExitStatus;
using tool::InfoOptions;

class ToolInfo : public HostBackend {
 protected:
  static std::pair<ExitStatus, std::string> print(InfoOptions options) {
    ::testing::internal::CaptureStdout();
    const ExitStatus status = tool::print_info(options);
    return {status, ::testing::internal::GetCapturedStdout()};
  }
};

TEST_F(ToolInfo, TestsTheDevicesOnlyIfAskedTo) {
  control::fail_call(DriverCall::copy, 1, control::Failure::wrong_byte);
  const auto [status, text] = print({});
  EXPECT_EQ(status, ExitStatus::success);
  EXPECT_EQ(text.find("bytes right"), std::string::npos) << text;
}

TEST_F(ToolInfo, FailsIfTheSelfTestOfADeviceDoes) {
  control::fail_call(DriverCall::copy, 1, control::Failure::wrong_byte);  // of the first of two devices
  const auto [status, text] = print({.self_test = true});
  EXPECT_EQ(status, ExitStatus::failure);
  for (const char* part : {"self-test of device 0\n", "ring: plain copies", "WRONG: byte 2 of a readback of 4 bytes",
                           "self-test of device 1\n", "bytes right"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_EQ(print({.self_test = true}).first, ExitStatus::success);
}

}  // namespace
