// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// What happens when there is no more pinned memory, on every backend: the memory's source has so much and no more.

#include <tailrace/error.hpp>
#include <tailrace/ring_set.hpp>

#include "tests/support/readbacks.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace {

using tailrace::Device;
using tailrace::Errc;
using tailrace::RingSet;
using tailrace::Ticket;

/// Real pinned memory, but only so much.
class ShortSource : public tailrace::PinnedSource {
 public:
  explicit ShortSource(std::size_t bytes) : left_{bytes} {}
  void* allocate(std::size_t bytes) override {
    if (bytes > left_) return nullptr;
    left_ -= bytes;
    return test::pinned_allocate(bytes);
  }
  void deallocate(void* memory, std::size_t bytes) noexcept override {
    left_ += bytes;
    test::pinned_free(memory);
  }
  [[nodiscard]] std::size_t left() const { return left_; }

 private:
  std::size_t left_;
};

class RingSetMemory : public ::testing::Test {
 protected:
  static constexpr std::size_t all = std::size_t{64} << 10;
  const std::vector<std::byte> content = test::pattern(64U << 10);
  const test::Buffer source = test::on_device(content);
  test::Stream stream;
  std::shared_ptr<ShortSource> memory = std::make_shared<ShortSource>(all);
  RingSet set{Device{0}, {.slots_per_ring = 4, .pinned_source = memory}};

  [[nodiscard]] tailrace::DeviceView first(std::size_t bytes) const { return {source.data(), bytes}; }
  [[nodiscard]] bool is_whole(const Ticket& ticket) {
    return set.visit(ticket, [this](std::span<const std::byte> bytes) {
      return std::memcmp(bytes.data(), content.data(), bytes.size()) == 0;
    });
  }
};

TEST_F(RingSetMemory, ThatIsUsedUpRefusesARingAndLeavesEverythingElseAsItWas) {
  const Ticket held = set.submit(first(4096), stream);
  const std::size_t left = memory->left();
  try {
    static_cast<void>(set.submit(first(64U << 10), stream));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const tailrace::Error& error) {
    EXPECT_EQ(error.errc(), Errc::out_of_pinned_memory);
    EXPECT_NE(std::string{error.what()}.find(std::to_string(256U << 10)), std::string::npos) << error.what();
  }
  EXPECT_EQ(memory->left(), left);
  EXPECT_EQ(set.pinned_bytes(), all - left);
  EXPECT_EQ(test::last_error(), 0);
  EXPECT_TRUE(is_whole(held));
  EXPECT_TRUE(is_whole(set.submit(first(8192), stream)));  // a smaller ring
}

TEST_F(RingSetMemory, ThatIsUsedUpRefusesARingOfItsOwnAndLeavesTheOtherAsItWas) {
  tailrace::ReadbackRing ring{Device{0}, {.slots = 2, .pinned_source = memory}};
  EXPECT_EQ(test::error_of(
                [&] { tailrace::ReadbackRing{Device{0}, {.slots = 16, .capacity = 4096, .pinned_source = memory}}; }),
            Errc::out_of_pinned_memory);
  const Ticket ticket = ring.submit(first(4096), stream);
  EXPECT_EQ(ring.collect(ticket).size(), 4096U);
}

}  // namespace
