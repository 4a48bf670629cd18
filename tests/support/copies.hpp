// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/copy_streams.hpp>
#include <tailrace/error.hpp>
#include <tailrace/log.hpp>
#include <tailrace/tbb.hpp>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

/// @file
/// What the tests of copy arenas and copy streams have in common.

namespace tailrace::test {

/// The code of the Error that a call throws; empty if it throws none.
template <class F>
std::optional<Errc> error_of(F&& call) {
  try {
    std::forward<F>(call)();
  } catch (const Error& error) {
    EXPECT_NE(std::string{error.what()}.find("Fix: "), std::string::npos) << error.what();
    return error.errc();
  }
  return std::nullopt;
}

/// A door that stays open once it is opened. Copies are one door.
class Gate {
 public:
  void open() const {
    state_->store(true);
    state_->notify_all();
  }
  void wait() const { state_->wait(false); }
  [[nodiscard]] bool is_open() const { return state_->load(); }

 private:
  std::shared_ptr<std::atomic<bool>> state_ = std::make_shared<std::atomic<bool>>(false);
};

/// Occupies the only worker of copy streams until it is destroyed.
class BusyWorker {
 public:
  explicit BusyWorker(CopyStreams& streams) : streams_{streams} {
    streams_.async_load("busy", [started = started_, release = release_] {
      started.open();
      release.wait();
    });
    started_.wait();
  }
  BusyWorker(const BusyWorker&) = delete;
  BusyWorker& operator=(const BusyWorker&) = delete;
  ~BusyWorker() {
    release_.open();
    streams_.async_wait("busy");
  }

 private:
  CopyStreams& streams_;
  Gate started_;
  Gate release_;
};

/// Occupies every worker that oneTBB has until it is destroyed, as an application may.
class HoggedWorkers {
 public:
  HoggedWorkers() {
    for (int worker = 0; worker < workers_; ++worker) {
      arena_.enqueue(detail::Handoff{[this] {
        count(arrived_);
        release_.wait();
        count(left_);
      }});
    }
    reach(arrived_);
  }
  HoggedWorkers(const HoggedWorkers&) = delete;
  HoggedWorkers& operator=(const HoggedWorkers&) = delete;
  ~HoggedWorkers() {
    release_.open();
    reach(left_);
  }

 private:
  static void count(std::atomic<int>& counter) {
    counter.fetch_add(1);
    counter.notify_all();
  }
  void reach(const std::atomic<int>& counter) const {
    for (int seen = counter.load(); seen < workers_; seen = counter.load()) counter.wait(seen);
  }

  // TBB gives even a process of one CPU one worker for enqueued work.
  const int workers_ = std::max(
      1, static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism)) - 1);
  tbb::task_arena arena_{workers_, 0};
  std::atomic<int> arrived_{0};
  std::atomic<int> left_{0};
  Gate release_;
};

/// Keeps what is logged.
class Log {
 public:
  [[nodiscard]] LogHandler handler() const {
    return [lines = lines_](LogLevel level, std::string_view text) {
      const std::scoped_lock lock{lines->mutex};
      lines->entries.emplace_back(level, text);
    };
  }
  [[nodiscard]] std::vector<std::string> warnings() const { return lines(LogLevel::warning); }
  [[nodiscard]] std::vector<std::string> errors() const { return lines(LogLevel::error); }

 private:
  [[nodiscard]] std::vector<std::string> lines(LogLevel wanted) const {
    const std::scoped_lock lock{lines_->mutex};
    std::vector<std::string> found;
    for (const auto& [level, text] : lines_->entries) {
      if (level == wanted) found.push_back(text);
    }
    return found;
  }

  struct Lines {
    std::mutex mutex;
    std::vector<std::pair<LogLevel, std::string>> entries;
  };
  std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
};

/// Copy streams on an arena of their own with so many workers.
inline CopyStreams streams_with(unsigned workers, std::size_t queue_limit = 256, LogHandler log = {}) {
  return CopyStreams{{.arena = CopyArena{CopyArenaOptions{.concurrency = workers, .numa_node = {}}},
                      .queue_limit = queue_limit,
                      .log = std::move(log)}};
}

/// Counts its destructions; moved-from objects do not count.
class Capture {
 public:
  explicit Capture(std::atomic<int>& destroyed) : destroyed_{&destroyed, [](std::atomic<int>* count) { ++*count; }} {}

 private:
  std::unique_ptr<std::atomic<int>, void (*)(std::atomic<int>*)> destroyed_;
};

inline std::string tag_number(int number) { return "tag " + std::to_string(number); }

}  // namespace tailrace::test
