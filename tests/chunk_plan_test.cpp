// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/chunk_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace {

using tailrace::detail::ChunkPlan;
using tailrace::detail::HostCopy;
using tailrace::detail::huge_page;
using tailrace::detail::Piece;
using tailrace::detail::PieceGroup;
using tailrace::detail::PieceList;

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t mebibyte = 1024 * kibibyte;

/// Never dereferenced.
std::byte* address(std::uintptr_t value) { return reinterpret_cast<std::byte*>(value); }

std::vector<std::size_t> chunks(std::size_t bytes, std::size_t largest, std::uintptr_t destination = 1 << 30) {
  ChunkPlan plan{address(destination), bytes, largest};
  std::vector<std::size_t> planned;
  for (std::size_t begin = 0; begin != bytes; begin += planned.back()) {
    planned.push_back(plan.next());
    plan.took(planned.back());
    if (planned.back() == 0 || planned.back() > bytes - begin) break;  // the sum says so
  }
  return planned;
}

TEST(ChunkPlan, CoversEverySizeWithChunksThatFitTheirSlot) {
  for (const std::size_t largest :
       {4 * kibibyte, 64 * kibibyte, 100 * kibibyte, mebibyte, 4 * mebibyte, 9 * mebibyte + 100}) {
    for (const std::size_t bytes : {std::size_t{1}, 64 * kibibyte, 64 * kibibyte + 1, 300 * kibibyte, mebibyte + 7,
                                    16 * mebibyte - 1, 100 * mebibyte + 3}) {
      const auto planned = chunks(bytes, largest, (1 << 30) + 16);
      ASSERT_EQ(std::accumulate(planned.begin(), planned.end(), std::size_t{0}), bytes) << bytes << ' ' << largest;
      for (const std::size_t chunk : planned) ASSERT_LE(chunk, largest);
    }
  }
}

TEST(ChunkPlan, IsOneOrTwoChunksForASmallRead) {
  EXPECT_EQ(chunks(64 * kibibyte, 4 * mebibyte).size(), 1U);
  EXPECT_EQ(chunks(256 * kibibyte, 4 * mebibyte).size(), 2U);
}

TEST(ChunkPlan, StartsSmallAndGrowsToTheSlotAndEndsSmall) {
  const auto planned = chunks(256 * mebibyte, 4 * mebibyte);
  EXPECT_EQ(planned.front(), 64 * kibibyte);
  EXPECT_EQ(planned[1], 256 * kibibyte);
  EXPECT_EQ(planned[2], 512 * kibibyte);
  EXPECT_GT(std::count(planned.begin(), planned.end(), 4 * mebibyte), 58);
  EXPECT_LE(planned.back(), 512 * kibibyte);
}

TEST(ChunkPlan, EndsLargeChunksWhereAHugePageEndsButForTheAlignmentOfTheSource) {
  const std::uintptr_t destination = (std::uintptr_t{1} << 30) + 4096 + 16;
  std::size_t end = 0;
  std::size_t full = 0;
  for (const std::size_t chunk : chunks(256 * mebibyte, 4 * mebibyte, destination)) {
    end += chunk;
    if (chunk != 4 * mebibyte) continue;
    ++full;
    EXPECT_EQ(end % 256, 0U);
    EXPECT_LT(huge_page - (destination + end) % huge_page, 256U) << end;
  }
  EXPECT_GT(full, 58U);
}

TEST(ChunkPlan, GoesOnBehindAChunkThatBecameSmaller) {
  ChunkPlan plan{address(1 << 30), mebibyte, mebibyte};
  plan.took(1000);  // as a row of a pitched source ends
  EXPECT_EQ(plan.next(), 256 * kibibyte);
  plan.took(mebibyte - 1000 - 10);
  EXPECT_EQ(plan.next(), 10U);
}

/// The pieces follow each other from the first byte to the last, and are cut at multiples of the unit.
void expect_pieces(std::size_t bytes, std::uintptr_t destination, HostCopy how, std::size_t unit) {
  PieceGroup group;
  const std::byte* const source = address(std::uintptr_t{1} << 40);
  const PieceList list{address(destination), {source, bytes}, how, group};
  std::size_t done = 0;
  for (const Piece& piece : list.pieces()) {
    ASSERT_EQ(piece.destination, address(destination + done));
    ASSERT_EQ(piece.source, source + done);
    ASSERT_EQ(piece.group, &group);
    ASSERT_EQ(piece.how, how);
    ASSERT_TRUE(done == 0 || (destination + done) % unit == 0) << done;
    ASSERT_GT(piece.bytes, 0U);
    done += piece.bytes;
  }
  ASSERT_EQ(done, bytes);
}

TEST(PieceList, CoversAChunkWithPiecesCutAtLinesOrHugePages) {
  for (const std::size_t bytes : {256 * kibibyte, 300 * kibibyte + 1, mebibyte, 4 * mebibyte, 4 * mebibyte - 17,
                                  31 * mebibyte + 5, 64 * mebibyte, 1000 * mebibyte + 9}) {
    for (const std::uintptr_t offset : {0U, 16U, 63U, 4096U, 2097151U}) {
      const std::uintptr_t destination = (std::uintptr_t{1} << 30) + offset;
      expect_pieces(bytes, destination, HostCopy::streaming, 64);
      expect_pieces(bytes, destination, HostCopy::fresh, huge_page);
    }
  }
}

TEST(PieceList, CutsOnlyWhatIsWorthIt) {
  EXPECT_FALSE(PieceList::worth_cutting(64 * kibibyte));
  EXPECT_TRUE(PieceList::worth_cutting(mebibyte));
}

}  // namespace
