// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// A view is valid only inside its visitor; builds with the address sanitizer catch one that is kept.

#include "src/poison.hpp"
#include "tests/support/ring.hpp"

namespace {

using namespace test;
using RingPoison = RingTest;

bool poisoned(const void* address) { return __asan_address_is_poisoned(address) != 0; }

TEST_F(RingPoison, CatchesAViewThatOutlivesItsVisitor) {
  ReadbackRing ring = make(2);
  for (int again = 0; again < 4; ++again) {
    std::span<const std::byte> kept;
    ring.visit(submit(ring, 1), [&](std::span<const std::byte> bytes) {
      kept = bytes;
      EXPECT_FALSE(poisoned(bytes.data()));
    });
    EXPECT_TRUE(poisoned(kept.data()));
  }
}

}  // namespace
