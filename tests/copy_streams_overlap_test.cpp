// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/support/copies.hpp"

#include <tailrace/copy_streams.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace tailrace::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CopyStreams, OverlapRunsBothHalvesAndJoins) {
  CopyStreams streams;
  bool copied = false;
  bool computed = false;
  streams.overlap_copy_compute("tag", [&] { copied = true; }, [&] { computed = true; });
  EXPECT_TRUE(copied);
  EXPECT_TRUE(computed);
  EXPECT_EQ(error_of([&] { streams.async_wait("tag"); }), Errc::unknown_tag);
}

TEST(CopyStreams, OverlapThrowsWhatEitherHalfThrows) {
  CopyStreams streams;
  EXPECT_THROW(
      streams.overlap_copy_compute("tag", [] { throw std::runtime_error{"copy"}; }, [] {}), std::runtime_error);
  bool copied = false;
  EXPECT_THROW(streams.overlap_copy_compute(
                   "tag", [&] { copied = true; }, [] { throw std::logic_error{"compute"}; }),
               std::logic_error);
  EXPECT_TRUE(copied);
}

TEST(CopyStreams, IfBothHalvesThrowComputesPassesAndTheCopysIsLogged) {
  const Log log;
  CopyStreams streams = streams_with(1, 256, log.handler());
  EXPECT_THROW(streams.overlap_copy_compute(
                   "tag", [] { throw std::runtime_error{"bad copy"}; }, [] { throw std::logic_error{"compute"}; }),
               std::logic_error);
  EXPECT_THAT(log.warnings(), ElementsAre(AllOf(HasSubstr("\"tag\""), HasSubstr("bad copy"))));
}

}  // namespace
}  // namespace tailrace::test
