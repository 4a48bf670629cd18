// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// What the tests of rings share: a fixture with a device buffer and a stream, and short ways to say what is expected.

#include <tailrace/error.hpp>
#include <tailrace/ring.hpp>

#include "tests/support/device.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace test {

using tailrace::DeviceView;
using tailrace::Errc;
using tailrace::ReadbackRing;
using tailrace::RingOptions;
using tailrace::SlotState;
using tailrace::StreamRef;
using tailrace::Ticket;

/// Nothing takes this long unless it hangs. The only use of time in tests that are not about time.
inline constexpr std::chrono::seconds hang_guard{30};

/// What the call throws; an empty value if it throws nothing.
template <class F>
std::optional<tailrace::Error> error_of(F&& call) {
  try {
    static_cast<void>(std::forward<F>(call)(), 0);
  } catch (const tailrace::Error& error) {
    EXPECT_TRUE(std::string_view{error.what()}.find("Fix: ") != std::string_view::npos) << error.what();
    return error;
  }
  return std::nullopt;
}

/// The code of what the call throws; empty if it throws nothing.
template <class F>
std::optional<Errc> errc_of(F&& call) {
  const auto error = error_of(std::forward<F>(call));
  return error ? std::optional{error->errc()} : std::nullopt;
}

/// True as soon as the condition holds; false if it never does.
template <class Condition>
bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + hang_guard;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

/// Keeps what is logged.
class Log {
 public:
  [[nodiscard]] tailrace::LogHandler handler() {
    return [this](tailrace::LogLevel, std::string_view message) {
      const std::lock_guard lock{mutex_};
      messages_.emplace_back(message);
    };
  }
  [[nodiscard]] std::vector<std::string> messages() const {
    const std::lock_guard lock{mutex_};
    return messages_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
};

/// A buffer and a stream of device 0, and a log. A test makes its rings and holds after them, so that they end before.
class RingTest : public ::testing::Test {
 protected:
  // A kernel that nothing waited for must not find the buffer gone.
  void TearDown() override { stream.synchronize(); }

  static constexpr std::size_t word = sizeof(std::uint64_t);

  [[nodiscard]] RingOptions options(unsigned slots, std::size_t capacity = 4096) {
    RingOptions made;
    made.name = "residual";
    made.slots = slots;
    made.capacity = capacity;
    made.log = log.handler();
    return made;
  }
  [[nodiscard]] ReadbackRing make(unsigned slots, std::size_t capacity = 4096) {
    return ReadbackRing{tailrace::Device{0}, options(slots, capacity)};
  }
  /// The first words of the buffer.
  [[nodiscard]] DeviceView view(std::size_t words = 1) const { return {buffer.data(), words * word}; }
  /// Has a kernel write the value into a word, each time the next one from the first on, and submits that word.
  Ticket submit(ReadbackRing& ring, std::uint64_t value) {
    const std::size_t offset = next_word++ * word % buffer.size();
    stamp(buffer, offset, 1, value, stream);
    return ring.submit({buffer.data(), offset, word}, stream);
  }
  /// Collects the one word of a ticket.
  static std::uint64_t value_of(ReadbackRing& ring, const Ticket& ticket) {
    return ring.visit<std::uint64_t>(ticket, [](std::span<const std::uint64_t> words) { return words[0]; });
  }

  Buffer buffer{std::size_t{1} << 20};
  Stream stream;
  Log log;
  std::size_t next_word = 0;
};

}  // namespace test
