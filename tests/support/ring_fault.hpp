// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// The fixture of tests that make the host device fail.

#include <tailrace/testing.hpp>

#include "tests/support/ring.hpp"

namespace test {

namespace faults = tailrace::control;

/// Leaves the device well, whatever a test did to it.
class RingFaultTest : public RingTest {
 protected:
  void TearDown() override {
    EXPECT_EQ(last_error(), 0) << "a call of the library left its error behind";
    faults::clear_failures();
    faults::revive_devices();
    RingTest::TearDown();
  }
  /// A ring whose copies are put on `copies`.
  [[nodiscard]] ReadbackRing make_on_copies(unsigned slots) {
    RingOptions made = options(slots);
    made.copy_stream = copies;
    return ReadbackRing{tailrace::Device{0}, made};
  }
  /// Everything that is on the copy stream is over, and the ring has seen it.
  void finish(ReadbackRing& ring) {
    for (int look = 0; look < 3; ++look) {  // the second finds what the first has put there
      stream.synchronize();
      copies.synchronize();
      ring.poll();
    }
  }
  /// The next submission gets a slot, sooner or later.
  [[nodiscard]] bool accepts(ReadbackRing& ring) {
    return eventually([&] { return !errc_of([&] { submit(ring, 1); }); });
  }

  Stream copies;
};

}  // namespace test
