// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/ring.hpp>

#include "tests/support/device.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace test {

/// Hands out one block.
class OneBlock : public tailrace::PinnedSource {
 public:
  explicit OneBlock(void* block) : block_{block} {}
  void* allocate(std::size_t bytes) override {
    asked = bytes;
    device = current_device();
    return block_;
  }
  void deallocate(void* memory, std::size_t bytes) noexcept override {
    EXPECT_EQ(memory, block_);
    EXPECT_EQ(bytes, asked);
    EXPECT_EQ(current_device(), device);
    ++returned;
  }
  std::size_t asked = 0;
  int device = -1;
  int returned = 0;

 private:
  void* block_;
};

}  // namespace test
