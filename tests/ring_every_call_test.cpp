// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// Every single driver call of a ring's life fails, once and for good: nothing wrong is ever read, nothing hangs,
// nothing is lost.

#include "tests/support/ring_fault.hpp"

namespace {

using namespace test;
using faults::Failure;
using tailrace::DriverCall;

class RingEveryCall : public RingFaultTest {
 protected:
  /// Collects if it can; if it gets something it is right.
  static void expect_right_or_error(ReadbackRing& ring, const Ticket& ticket, std::uint64_t value) {
    const auto error = error_of([&] { EXPECT_EQ(value_of(ring, ticket), value); });
    EXPECT_TRUE(!error || error->errc() == Errc::copy_failed || error->errc() == Errc::not_armed) << error->what();
  }

  /// A ring's life, with every kind of call.
  void live() {
    RingOptions made = options(4);
    made.close_bound = std::chrono::milliseconds{100};
    ReadbackRing ring{tailrace::Device{0}, made};
    std::vector<std::pair<Ticket, std::uint64_t>> tickets;
    const auto attempt = [](auto&& call) {
      const auto error = error_of(call);
      EXPECT_FALSE(error && error->errc() == Errc::stale_ticket) << error->what();
    };
    for (std::uint64_t i = 1; i <= 2; ++i) {
      attempt([&] {
        const Ticket ticket = submit(ring, i);
        tickets.emplace_back(ticket, i);
        ring.guard_source(ticket, copies);
      });
    }
    attempt([&] {
      const std::size_t last = buffer.size() - word;
      stamp(buffer, last, 1, 3, stream);
      const Ticket ticket = ring.record({buffer.data(), last, word}, stream);
      tickets.emplace_back(ticket, 3);
      ring.arm(ticket, stream);
    });
    attempt([&] { ring.discard(submit(ring, 4)); });
    attempt([&] { submit(ring, 5); });
    for (const auto& [ticket, value] : tickets) expect_right_or_error(ring, ticket, value);
    attempt([&] {
      const Ticket ticket = ring.submit_for(view(), stream, std::chrono::milliseconds{100});
      static_cast<void>(ring.collect(ticket));
    });
    ring.close(std::chrono::milliseconds{100});
  }
};

TEST_F(RingEveryCall, OfARingsLifeMayFailOnce) {
  live();
  const std::uint64_t before = faults::calls();
  live();
  const std::uint64_t calls = faults::calls() - before;
  ASSERT_GT(calls, 30U);
  for (std::uint64_t k = 1; k <= calls; ++k) {
    SCOPED_TRACE("call " + std::to_string(k));
    faults::fail_any_call(k);
    static_cast<void>(error_of([&] { live(); }));
    faults::clear_failures();
    ASSERT_EQ(last_error(), 0);
    ASSERT_EQ(current_device(), 0);
  }
  live();
}

TEST_F(RingEveryCall, OfARingsLifeMayLoseTheDevice) {
  const std::uint64_t before = faults::calls();
  live();
  const std::uint64_t calls = faults::calls() - before;
  for (std::uint64_t k = 1; k <= calls; k += 1) {
    SCOPED_TRACE("call " + std::to_string(k));
    faults::fail_any_call(k, Failure::sticky);
    try {
      live();
    } catch (const std::exception&) {
      // The constructor, or the test's own calls.
    }
    faults::clear_failures();
    faults::revive_devices();
    static_cast<void>(last_error());  // the test's own calls failed too
    ASSERT_EQ(current_device(), 0);
  }
  live();
}

TEST_F(RingEveryCall, OfTheConstructorMayFailAndNothingIsLeft) {
  {
    const ReadbackRing warm = make(4);
  }
  const std::uint64_t start = faults::calls();
  std::uint64_t calls = 0;
  {
    const ReadbackRing ring = make(4);
    calls = faults::calls() - start;
  }
  const auto before = faults::resources();
  ASSERT_GT(calls, 6U);
  for (std::uint64_t k = 1; k <= calls; ++k) {
    SCOPED_TRACE("call " + std::to_string(k));
    faults::fail_any_call(k);
    // The calls for the capture mode, and the last that restores the device, are not essential.
    const bool failed = error_of([&] { const ReadbackRing ring = make(4); }).has_value();
    faults::clear_failures();
    const auto after = faults::resources();
    EXPECT_EQ(after.pinned_bytes, before.pinned_bytes);
    EXPECT_EQ(after.pinned_allocations, before.pinned_allocations);
    EXPECT_EQ(after.streams, before.streams);
    EXPECT_EQ(after.events, before.events);
    EXPECT_EQ(last_error(), 0);
    EXPECT_TRUE(failed || k <= 2 || k >= calls);
  }
  ReadbackRing ring = make(2);
  EXPECT_EQ(value_of(ring, submit(ring, 1)), 1U);
}

TEST_F(RingEveryCall, OfTheConstructorThatFindsNoPinnedMemorySaysHowMuchItWanted) {
  const auto before = faults::resources();
  faults::limit_pinned_bytes(before.pinned_bytes + 3 * 4096);
  const auto error = error_of([&] { const ReadbackRing ring = make(4); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->errc(), Errc::out_of_pinned_memory);
  EXPECT_NE(error->native_code(), 0);
  EXPECT_EQ(error->details().ring, "residual");
  EXPECT_NE(std::string{error->what()}.find("16384 bytes of pinned host memory"), std::string::npos);
  EXPECT_EQ(faults::resources().events, before.events);
  EXPECT_EQ(last_error(), 0);
  ReadbackRing smaller = make(2);
  EXPECT_EQ(value_of(smaller, submit(smaller, 1)), 1U);
  faults::limit_pinned_bytes(~std::size_t{0});
}

TEST_F(RingEveryCall, OfCopiesThatEndBeforeTheCallReturnsIsFine) {
  faults::complete_copies_at_enqueue(true);
  ReadbackRing ring = make(4);
  for (std::uint64_t i = 0; i < 100; ++i) {
    stamp(buffer, 0, 1, i, stream);
    stream.synchronize();
    EXPECT_EQ(value_of(ring, ring.submit(view(), stream)), i);
  }
  faults::complete_copies_at_enqueue(false);
}

}  // namespace
