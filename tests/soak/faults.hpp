// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/testing.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <utility>

namespace soak {

#ifdef TAILRACE_BACKEND_HOST
inline constexpr bool can_inject = true;

/// Lets driver calls fail now and then, as long as it lives. Not those that give memory back: what the driver does not
/// take back is rightly kept.
class Faults {
 public:
  explicit Faults(std::uint64_t seed) : thread_{[this, seed] { run(seed); }} {}
  ~Faults() {
    stop_ = true;
    thread_.join();
    tailrace::control::clear_failures();
  }
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  [[nodiscard]] std::uint64_t injected() const { return injected_; }

 private:
  void run(std::uint64_t seed) {
    using enum tailrace::DriverCall;
    // How many calls of the kind until the next failure, at most: fewer of the rare ones.
    constexpr std::array<std::pair<tailrace::DriverCall, unsigned>, 7> kinds{{{copy, 1000},
                                                                              {event_record, 2000},
                                                                              {event_query, 1000},
                                                                              {stream_wait, 1000},
                                                                              {event_create, 50},
                                                                              {device_copy, 4},
                                                                              {pinned_allocate, 4}}};
    std::mt19937_64 random{seed};
    while (!stop_) {
      // One at a time: the next when the one before has happened.
      const auto [kind, most] = kinds[random() % kinds.size()];
      const std::uint64_t in = 1 + random() % most;
      const std::uint64_t until = tailrace::control::calls(kind) + in;
      tailrace::control::fail_call(kind, in);
      while (!stop_ && tailrace::control::calls(kind) < until) std::this_thread::yield();
      ++injected_;
    }
  }

  std::atomic<std::uint64_t> injected_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};
#else
inline constexpr bool can_inject = false;

class Faults {
 public:
  explicit Faults(std::uint64_t /*seed*/) {}
  [[nodiscard]] std::uint64_t injected() const { return 0; }
};
#endif

}  // namespace soak
