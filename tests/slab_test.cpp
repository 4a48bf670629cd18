// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/slab.hpp"

#include "tests/support/mapping.hpp"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace tailrace::detail {
namespace {

using test::Pages;
using test::pages_of;

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t size = 20 * mebibyte;  // several threads, and no whole number of their pieces

/// The policy of the page, if the system tells.
std::optional<int> policy_of(const void* page) {
  int policy = -1;
  std::array<unsigned long, 16> nodes{};
  const long failed = syscall(SYS_get_mempolicy, &policy, nodes.data(), nodes.size() * 64, page, MPOL_F_ADDR);
  return failed == 0 ? std::optional{policy} : std::nullopt;
}

TEST(Slab, IsTouchedZeroedAndAtABoundaryOfHugePages) {
  const Slab slab = Slab::map(size, std::nullopt);
  ASSERT_TRUE(slab);
  EXPECT_EQ(slab.bytes(), size);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(slab.data()) % (2 * mebibyte), 0U);
  EXPECT_EQ(pages_of(slab.data(), size), Pages::all_touched);
  EXPECT_TRUE(std::ranges::all_of(std::span{slab.data(), size}, [](std::byte b) { return b == std::byte{0}; }));
}

TEST(Slab, MayBeOfAnySize) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, 8 * mebibyte, 9 * mebibyte + 5}) {
    const Slab slab = Slab::map(bytes, std::nullopt);
    ASSERT_TRUE(slab) << bytes;
    slab.data()[bytes - 1] = std::byte{7};
    EXPECT_EQ(pages_of(slab.data(), bytes), Pages::all_touched) << bytes;
  }
}

TEST(Slab, IsEmptyIfThereIsNoSuchMapping) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1} << 60, std::numeric_limits<std::size_t>::max()}) {
    const Slab slab = Slab::map(bytes, std::nullopt);
    EXPECT_FALSE(slab);
    EXPECT_EQ(slab.bytes(), 0U);
  }
}

TEST(Slab, PrefersTheNodeWithoutBeingBoundToIt) {
  const Slab anywhere = Slab::map(size, std::nullopt);
  const auto usual = policy_of(anywhere.data());
  if (!usual) GTEST_SKIP() << "the system does not tell a page's policy";
  const Slab near = Slab::map(size, 0);
  const auto policy = policy_of(near.data() + size - 1);
  if (policy == usual) GTEST_SKIP() << "the system does not allow a policy";
  EXPECT_EQ(policy, MPOL_PREFERRED);
}

TEST(Slab, OfANodeThatThereIsNotIsAnywhere) {
  for (const int node : {-1, 1000, 1 << 20}) {
    const Slab slab = Slab::map(size, node);
    ASSERT_TRUE(slab) << node;
    EXPECT_EQ(pages_of(slab.data(), size), Pages::all_touched);
  }
}

TEST(Slab, IsNotInheritedByAForkedChild) {
  const Slab slab = Slab::map(size, std::nullopt);
  EXPECT_FALSE(test::child_inherits(slab.data(), size));
}

TEST(Slab, IsUnmappedByItsLastOwner) {
  const std::byte* data = nullptr;
  {
    Slab first = Slab::map(size, std::nullopt);
    data = first.data();
    Slab second{std::move(first)};
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): what is left is specified
    first = std::move(second);
    EXPECT_EQ(first.data(), data);
    EXPECT_EQ(pages_of(data, size), Pages::all_touched);
  }
  EXPECT_EQ(pages_of(data, size), Pages::unmapped);
}

TEST(Slab, ThatIsKeptIsNeverUnmapped) {
  const std::byte* data = nullptr;
  {
    Slab slab = Slab::map(size, std::nullopt);
    data = slab.data();
    slab.keep();
    EXPECT_FALSE(slab);
  }
  EXPECT_EQ(pages_of(data, size), Pages::all_touched);
}

}  // namespace
}  // namespace tailrace::detail
