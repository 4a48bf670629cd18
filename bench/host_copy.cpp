// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// What can this machine's threads copy, without the device: from slots that fit a cache into memory that is touched, or
// fresh with small or huge pages, each in the ways of host_copy(). The counter `GBps` is the median's. It is about the
// machine and not about the library: bench/run.sh leaves it out.

#include "src/host_copy.hpp"

#include "bench/support/pageable.hpp"
#include "bench/support/plain.hpp"
#include "bench/support/row.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace bench;
using tailrace::detail::HostCopy;

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t slots = 32 * mib;
constexpr std::size_t total = plain::on_host ? 64 * mib : 512 * mib;

double seconds_to_copy(std::byte* to, const std::byte* from, HostCopy how, unsigned threads) {
  const std::size_t piece = how == HostCopy::fresh ? 2 * mib : mib / 2;
  std::atomic<std::size_t> next{0};
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      for (std::size_t at = next.fetch_add(piece); at < total; at = next.fetch_add(piece)) {
        tailrace::detail::host_copy(how, to + at, from + at % slots, piece);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  return seconds_since(start);
}

void copy(benchmark::State& state, Pages pages, HostCopy how, unsigned threads) {
  const Pageable source{slots, Pages::touched};
  Pageable destination{total, pages};
  std::vector<double> seconds;
  for (auto _ : state) {
    destination.renew();
    seconds.push_back(seconds_to_copy(destination.bytes().data(), source.bytes().data(), how, threads));
    state.SetIterationTime(seconds.back());
  }
  std::ranges::sort(seconds);
  state.counters["GBps"] = static_cast<double>(total) / seconds[seconds.size() / 2] / 1e9;
}

struct NamedPages {
  const char* name;
  Pages pages;
};
struct NamedCopy {
  const char* name;
  HostCopy how;
};

const bool registered = [] {
  for (const auto& [pages_name, pages] : {NamedPages{"touched", Pages::touched},
                                          {"fresh_small", Pages::fresh_small},
                                          {"fresh_huge", Pages::fresh_huge}}) {
    for (const auto& [how_name, how] :
         {NamedCopy{"cached", HostCopy::cached}, {"streaming", HostCopy::streaming}, {"fresh", HostCopy::fresh}}) {
      for (const unsigned threads : {1U, 4U, 8U, 16U}) {
        add_large("host_copy/" + std::string{pages_name} + "/" + how_name + "/threads:" + std::to_string(threads), 3,
                  [pages = pages, how = how, threads](auto& state) { copy(state, pages, how, threads); });
      }
    }
  }
  return true;
}();

}  // namespace
