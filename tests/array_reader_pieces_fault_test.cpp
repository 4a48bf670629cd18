// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// Large reads that fail while threads of the arena copy pieces of other chunks.

#include <tailrace/error.hpp>
#include <tailrace/runtime.hpp>
#include <tailrace/testing.hpp>

#include "tests/support/readbacks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace {

using tailrace::DriverCall;
using tailrace::Error;
using tailrace::Runtime;
namespace faults = tailrace::control;

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t mebibyte = 1024 * kibibyte;

class ArrayReaderPiecesFaultTest : public testing::Test {
 protected:
  test::Stream stream;
  const std::vector<std::byte> content = test::pattern(2 * mebibyte);
  const test::Buffer source = test::on_device(content);
  std::vector<std::byte> got = std::vector<std::byte>(content.size());
  Runtime runtime{tailrace::Device{0}, {.chunk_bytes = mebibyte, .chunk_slots = 3}};

  ~ArrayReaderPiecesFaultTest() override { faults::clear_failures(); }

  std::optional<Error> failure_of_read(bool async) {
    std::ranges::fill(got, std::byte{});
    try {
      if (async) {
        runtime.async_read("array", got, test::view(source), stream);
        runtime.async_wait("array");
      } else {
        runtime.read(got, test::view(source), stream);
      }
    } catch (const Error& error) {
      return error;
    }
    return std::nullopt;
  }
  void expect_works() {
    ASSERT_FALSE(failure_of_read(false));
    ASSERT_EQ(got, content);
    EXPECT_EQ(runtime.statistics().chunks.outstanding, 0U);
  }
};

TEST_F(ArrayReaderPiecesFaultTest, TellsTheGoodLeadingBytesOfGrowingChunks) {
  for (const bool async : {false, true}) {
    expect_works();
    faults::fail_call(DriverCall::copy, 4);  // behind 64, 256 and 512 KiB
    const auto failure = failure_of_read(async);
    ASSERT_TRUE(failure);
    ASSERT_EQ(failure->good_bytes(), 832 * kibibyte);
    EXPECT_TRUE(std::equal(got.begin(), got.begin() + 832 * kibibyte, content.begin()));
    expect_works();
  }
}

TEST_F(ArrayReaderPiecesFaultTest, EndsWellWhereverACallFails) {
  for (std::uint64_t k = 1; k < 60; ++k) {
    faults::fail_any_call(k);
    const auto failure = failure_of_read(k % 2 == 0);
    faults::clear_failures();
    if (!failure) {
      ASSERT_EQ(got, content) << k;
    } else if (const auto good = failure->good_bytes()) {
      ASSERT_TRUE(std::equal(got.begin(), got.begin() + std::ptrdiff_t(*good), content.begin())) << k;
    }
    EXPECT_EQ(runtime.statistics().chunks.outstanding, 0U) << k;
    EXPECT_EQ(test::last_error(), 0) << k;
  }
  expect_works();
}

}  // namespace
