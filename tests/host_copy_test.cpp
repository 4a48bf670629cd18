// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/host_copy.hpp"
#include "src/streaming_copy.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace {

using tailrace::detail::host_copy;
using tailrace::detail::HostCopy;
using tailrace::detail::looks_resident;
using tailrace::detail::streaming_variants;
using tailrace::detail::StreamingVariant;

constexpr std::byte untouched{0xEE};
constexpr std::size_t page = 4096;

std::vector<std::byte> pattern(std::size_t bytes) {
  std::vector<std::byte> filled(bytes);
  for (std::size_t i = 0; i < bytes; ++i) filled[i] = static_cast<std::byte>(i * 7 + i / 251);
  return filled;
}

/// Memory that no page is behind yet, and neighbours on both sides that may not be touched at all.
class FreshMemory {
 public:
  explicit FreshMemory(std::size_t bytes) : bytes_{bytes} {
    mapped_ = mmap(nullptr, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) throw std::bad_alloc{};
    if (mprotect(begin(), bytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc{};
  }
  ~FreshMemory() { munmap(mapped_, bytes_ + 2 * page); }
  FreshMemory(const FreshMemory&) = delete;
  FreshMemory& operator=(const FreshMemory&) = delete;
  [[nodiscard]] std::byte* begin() const { return static_cast<std::byte*>(mapped_) + page; }

 private:
  std::size_t bytes_;
  void* mapped_ = nullptr;
};

class StreamingVariantTest : public testing::TestWithParam<StreamingVariant> {};

TEST_P(StreamingVariantTest, CopiesEveryAlignmentAndLengthAndNothingBeside) {
  const std::vector<std::byte> source = pattern(1024);
  for (std::size_t from = 0; from < 65; from += 5) {
    for (std::size_t to = 0; to < 65; ++to) {
      for (const std::size_t bytes : {0U, 1U, 15U, 31U, 63U, 64U, 65U, 127U, 128U, 200U, 513U, 832U}) {
        std::vector<std::byte> destination(1024, untouched);
        GetParam().copy(destination.data() + to, source.data() + from, bytes);
        const auto begin = destination.begin() + static_cast<std::ptrdiff_t>(to);
        const auto end = begin + static_cast<std::ptrdiff_t>(bytes);
        ASSERT_TRUE(std::equal(begin, end, source.begin() + static_cast<std::ptrdiff_t>(from)));
        ASSERT_EQ(std::count(destination.begin(), begin, untouched), static_cast<std::ptrdiff_t>(to));
        ASSERT_EQ(std::count(end, destination.end(), untouched), destination.end() - end);
      }
    }
  }
}

std::string name_of_variant(const testing::TestParamInfo<StreamingVariant>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(OfThisCpu, StreamingVariantTest,
                         testing::ValuesIn(streaming_variants().begin(), streaming_variants().end()), name_of_variant);

TEST(StreamingVariants, AlwaysHaveMemcpy) { EXPECT_EQ(std::string_view{streaming_variants().back().name}, "memcpy"); }

class HostCopyTest : public testing::TestWithParam<HostCopy> {};

TEST_P(HostCopyTest, CopiesIntoFreshMemoryBesideMemoryThatMayNotBeTouched) {
  constexpr std::size_t room = (std::size_t{2} << 20) + 3 * page;
  const std::vector<std::byte> source = pattern(room);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, page - 1, page, 3 * page + 5, std::size_t{512} << 10,
                                  (std::size_t{512} << 10) + 1, room}) {
    for (const bool at_end : {false, true}) {
      const FreshMemory memory{room};
      std::byte* const to = memory.begin() + (at_end ? room - bytes : 0);
      errno = 77;
      host_copy(GetParam(), to, source.data(), bytes);
      ASSERT_EQ(errno, 77);
      ASSERT_TRUE(std::equal(to, to + bytes, source.begin())) << bytes << at_end;
      ASSERT_EQ(std::count(memory.begin(), to, std::byte{}), to - memory.begin());
      ASSERT_EQ(std::count(to + bytes, memory.begin() + room, std::byte{}), memory.begin() + room - (to + bytes));
    }
  }
}

TEST_P(HostCopyTest, OverwritesMemoryThatIsTouchedAlready) {
  const std::vector<std::byte> source = pattern(100'003);
  std::vector<std::byte> destination(source.size() + 2, untouched);
  host_copy(GetParam(), destination.data() + 1, source.data(), source.size());
  EXPECT_TRUE(std::equal(source.begin(), source.end(), destination.begin() + 1));
  EXPECT_EQ(destination.front(), untouched);
  EXPECT_EQ(destination.back(), untouched);
}

std::string name_of_way(const testing::TestParamInfo<HostCopy>& info) {
  switch (info.param) {
    case HostCopy::cached: return "cached";
    case HostCopy::streaming: return "streaming";
    case HostCopy::fresh: break;
  }
  return "fresh";
}

INSTANTIATE_TEST_SUITE_P(Ways, HostCopyTest, testing::Values(HostCopy::cached, HostCopy::streaming, HostCopy::fresh),
                         name_of_way);

TEST(LooksResident, TellsFreshMemoryFromTouched) {
  constexpr std::size_t bytes = 16 * page;
  const FreshMemory memory{bytes};
  EXPECT_FALSE(looks_resident(memory.begin(), bytes));
  EXPECT_FALSE(looks_resident(memory.begin() + 5, bytes - 5));
  memory.begin()[bytes - 1] = std::byte{1};
  EXPECT_TRUE(looks_resident(memory.begin(), bytes));
}

TEST(LooksResident, LooksAtWholePagesOnly) {
  const FreshMemory memory{4 * page};
  EXPECT_TRUE(looks_resident(memory.begin() + 1, page));
  EXPECT_TRUE(looks_resident(memory.begin(), 0));
  memory.begin()[2 * page] = std::byte{1};  // the page that is only partly in the range below
  EXPECT_FALSE(looks_resident(memory.begin(), 2 * page + 100));
}

TEST(LooksResident, TakesWhatTheKernelDoesNotKnowForResidentAndKeepsErrno) {
  std::byte* gone = nullptr;
  {
    const FreshMemory memory{16 * page};
    gone = memory.begin();
  }
  errno = 77;
  EXPECT_TRUE(looks_resident(gone, 16 * page));
  EXPECT_EQ(errno, 77);
}

}  // namespace
