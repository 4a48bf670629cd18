// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// What can this machine's threads copy, without a device: from slots that fit a cache into memory that is touched, or
// fresh with 4 KiB or huge pages, each in the ways of host_copy(). The counter `GBps` is the median's.

#include "src/copy_arena_core.hpp"
#include "src/host_copy.hpp"

#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

namespace {

using tailrace::detail::HostCopy;

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t slots = 32 * mebibyte;
constexpr std::size_t total = 1024 * mebibyte;

enum Pages : std::int64_t { touched, fresh_small, fresh_huge };

/// Anonymous memory at the start of a huge page.
class Mapping {
 public:
  Mapping(std::size_t bytes, Pages pages) : bytes_{bytes + tailrace::detail::huge_page} {
    mapped_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) throw std::bad_alloc{};
    static_cast<void>(madvise(mapped_, bytes_, pages == fresh_small ? MADV_NOHUGEPAGE : MADV_HUGEPAGE));
    if (pages == touched) std::memset(mapped_, 1, bytes_);
  }
  ~Mapping() { munmap(mapped_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  [[nodiscard]] std::byte* begin() const {
    constexpr std::size_t huge = tailrace::detail::huge_page;
    return static_cast<std::byte*>(mapped_) + (huge - reinterpret_cast<std::uintptr_t>(mapped_) % huge) % huge;
  }

 private:
  std::size_t bytes_;
  void* mapped_ = nullptr;
};

double seconds_to_copy(std::byte* to, const std::byte* from, HostCopy how, std::int64_t threads) {
  const std::size_t piece = how == HostCopy::fresh ? 2 * mebibyte : mebibyte / 2;
  std::atomic<std::size_t> next{0};
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> workers;
  for (std::int64_t i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      for (std::size_t at = next.fetch_add(piece); at < total; at = next.fetch_add(piece)) {
        tailrace::detail::host_copy(how, to + at, from + at % slots, piece);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void host_copy(benchmark::State& state) {
  const auto pages = static_cast<Pages>(state.range(0));
  const Mapping source{slots, touched};
  std::vector<double> seconds;
  for (auto _ : state) {
    const Mapping destination{total, pages};
    seconds.push_back(
        seconds_to_copy(destination.begin(), source.begin(), static_cast<HostCopy>(state.range(1)), state.range(2)));
    state.SetIterationTime(seconds.back());
  }
  std::ranges::sort(seconds);
  state.counters["GBps"] = static_cast<double>(total) / seconds[seconds.size() / 2] / 1e9;
}

}  // namespace

// pages: 0 touched, 1 fresh 4 KiB pages, 2 fresh huge pages. how: 0 cached, 1 streaming, 2 fresh.
BENCHMARK(host_copy)
    ->ArgNames({"pages", "how", "threads"})
    ->ArgsProduct({{touched, fresh_small, fresh_huge}, {0, 1, 2}, {1, 2, 4, 8, 14, 16}})
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
