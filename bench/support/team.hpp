// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace bench {

/// Threads that are started once and do work at the same time, over and over.
class Team {
 public:
  explicit Team(unsigned threads) : barrier_{static_cast<std::ptrdiff_t>(threads) + 1}, members_(threads) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this, i] { serve(i); });
  }
  ~Team() {
    work_ = nullptr;
    barrier_.arrive_and_wait();
    for (std::thread& thread : threads_) thread.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Has every thread do `work(number of the thread)`. @returns the seconds from the first one's start to the last
  /// one's end; throws what one of them threw
  double run(const std::function<void(unsigned)>& work) {
    work_ = &work;
    barrier_.arrive_and_wait();
    barrier_.arrive_and_wait();
    Clock::time_point first = Clock::time_point::max();
    Clock::time_point last = Clock::time_point::min();
    for (const Member& member : members_) {
      if (member.failure) std::rethrow_exception(member.failure);
      first = std::min(first, member.begin);
      last = std::max(last, member.end);
    }
    return std::chrono::duration<double>(last - first).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Member {
    Clock::time_point begin;
    Clock::time_point end;
    std::exception_ptr failure;
  };

  void serve(unsigned number) {
    for (;;) {
      barrier_.arrive_and_wait();
      if (work_ == nullptr) return;
      Member& self = members_[number];
      self = {.begin = Clock::now(), .end = {}, .failure = nullptr};
      try {
        (*work_)(number);
      } catch (...) {
        self.failure = std::current_exception();
      }
      self.end = Clock::now();
      barrier_.arrive_and_wait();
    }
  }

  std::barrier<> barrier_;
  const std::function<void(unsigned)>* work_ = nullptr;  // written and read on different sides of the barrier
  std::vector<Member> members_;
  std::vector<std::thread> threads_;
};

}  // namespace bench
