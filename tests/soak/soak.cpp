// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// Random load of everything that the library offers, on all CPUs, for as long as one likes. Every byte of every result
// is checked; what the process holds must not grow; at the end the counters must add up.
//   soak [--seconds S] [--threads N] [--seed N] [--faults]
// Ends with status 0, 1 if something was not as it should be, 2 for bad arguments, 77 without a device.

#include "tests/soak/faults.hpp"
#include "tests/soak/load.hpp"
#include "tests/soak/usage.hpp"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace soak;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

unsigned usable_cpus() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

/// @throws std::exception for arguments that are none
Options parsed(int argc, char** argv) {
  // At least as many as it takes that threads meet.
  Options options{.threads = std::max(4U, usable_cpus()), .seed = std::random_device{}()};
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--faults") {
      options.faults = true;
      continue;
    }
    if (++i == argc) throw std::invalid_argument{name};
    if (name == "--seconds") {
      options.seconds = std::stod(argv[i]);
    } else if (name == "--threads") {
      options.threads = static_cast<unsigned>(std::stoul(argv[i]));
    } else if (name == "--seed") {
      options.seed = std::stoull(argv[i]);
    } else {
      throw std::invalid_argument{name};
    }
  }
  if (options.threads < 1 || options.threads > 64) throw std::invalid_argument{"--threads: 1 to 64"};
  if (options.faults && !can_inject) throw std::invalid_argument{"--faults: of the host backend only"};
  return options;
}

/// Threads that take turns until they are told to stop.
class Crew {
 public:
  explicit Crew(World& world) {
    for (unsigned thread = 0; thread < world.options.threads; ++thread) {
      loads_.push_back(std::make_unique<Load>(world, thread));
    }
    for (const auto& load : loads_) {
      threads_.emplace_back([this, &world, &load = *load] {
        try {
          while (!stop_) load.turn();
        } catch (const std::exception& error) {
          world.complaints.add(error.what());
        }
      });
    }
  }
  ~Crew() { stop(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void stop() {
    stop_ = true;
    threads_.clear();
  }
  void add_to(Tally& sum) const {
    for (const auto& load : loads_) sum += load->tally();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::unique_ptr<Load>> loads_;
  std::vector<std::jthread> threads_;
};

tailrace::Statistics all_rings(World& world) {
  tailrace::Statistics sum = world.runtime.statistics().rings;
  sum += world.tight.statistics();
  sum += world.contended.statistics();
  const std::lock_guard lock{world.mutex};
  sum += world.of_past_rings;
  return sum;
}

/// Held by the long-lived objects.
std::size_t pinned_bytes(World& world) {
  const auto statistics = world.runtime.statistics();
  return statistics.rings.pinned_bytes + statistics.chunks.pinned_bytes + world.tight.pinned_bytes();
}

/// The budgets of the two sets, and two transfers of five chunks of 8 MiB.
std::size_t pinned_bound(World& world) {
  return world.runtime.rings().pinned_budget() + world.tight.pinned_budget() + 2 * 5 * (std::size_t{8} << 20);
}

unsigned long long number(const Tally::Count& count) { return count.load(); }

void print_status(double seconds, const Tally& tally, const Usage& usage) {
  std::printf(
      "%7.0f s: %.3f M readbacks, %.0f/s, torn %llu, refused %llu, failed %llu; %llu large reads, %.1f GB; "
      "resident %zu MiB, pinned %zu MiB, handles %zu, threads %zu\n",
      seconds, 1e-6 * static_cast<double>(number(tally.collected)),
      static_cast<double>(number(tally.collected)) / seconds, number(tally.torn), number(tally.refused),
      number(tally.failed), number(tally.reads), 1e-9 * static_cast<double>(number(tally.read_bytes)),
      usage.resident_bytes >> 20, usage.pinned_bytes >> 20, usage.handles, usage.threads);
  std::fflush(stdout);
}

/// Lets the crew work, and watches what the process holds.
void watch(World& world, const Crew& crew, Clock::time_point start) {
  const double warm_up = std::clamp(0.3 * world.options.seconds, 0.5, 60.0);
  double next_line = 10;
  Usage warm;
  Usage later;
  for (double now = 0; now < world.options.seconds; now = Seconds{Clock::now() - start}.count()) {
    const Usage usage = usage_now(pinned_bytes(world));
    Usage& most = now < warm_up ? warm : later;
    most = most_of(most, usage);
    if (now >= next_line) {
      next_line += 10;
      Tally sum;
      crew.add_to(sum);
      print_status(now, sum, usage);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  if (const std::string found = grown(warm, later, pinned_bound(world)); !found.empty()) {
    world.complaints.add("from warm-up on have grown: " + found);
  }
}

void check_sums(World& world, const Tally& tally) {
  const auto check = [&world](const char* what, std::uint64_t counted, std::uint64_t expected) {
    if (counted == expected) return;
    world.complaints.add(std::string{"the counters do not add up: "} + what + " " + std::to_string(counted) + ", not " +
                         std::to_string(expected));
  };
  const tailrace::Statistics rings = all_rings(world);
  const tailrace::Statistics chunks = world.runtime.statistics().chunks;
  for (const auto& s : {rings, chunks}) {
    check("submissions", s.submissions, s.collected + s.discarded + s.errors_collected + s.outstanding);
    check("outstanding", s.outstanding, 0);
  }
  check("accepted", rings.submissions, number(tally.accepted));
  check("collected", rings.collected, number(tally.collected));
  check("discarded", rings.discarded, number(tally.discarded));
  check("failed", rings.errors_collected, number(tally.failed));
  std::printf(
      "%llu submissions = %llu collected + %llu discarded + %llu failed + %llu outstanding; %llu stalls, peak in "
      "flight %llu, %llu pinned allocations\n",
      static_cast<unsigned long long>(rings.submissions), static_cast<unsigned long long>(rings.collected),
      static_cast<unsigned long long>(rings.discarded), static_cast<unsigned long long>(rings.errors_collected),
      static_cast<unsigned long long>(rings.outstanding), static_cast<unsigned long long>(rings.stalls),
      static_cast<unsigned long long>(rings.peak_in_flight),
      static_cast<unsigned long long>(rings.calls[tailrace::DriverCall::pinned_allocate]));
}

int run(const Options& options) {
  std::printf("backend %s, %u threads, %.0f s, seed %llu%s\n", std::string{tailrace::backend_name()}.c_str(),
              options.threads, options.seconds, static_cast<unsigned long long>(options.seed),
              options.faults ? ", with injected faults" : "");
  World world{options};
  Crew crew{world};
  const Clock::time_point start = Clock::now();
  {
    std::optional<Faults> faults;
    if (options.faults) faults.emplace(options.seed);
    watch(world, crew, start);
    crew.stop();
    if (faults) std::printf("%llu injected faults\n", static_cast<unsigned long long>(faults->injected()));
  }
  const double seconds = Seconds{Clock::now() - start}.count();
  Tally tally;
  crew.add_to(tally);
  print_status(seconds, tally, usage_now(pinned_bytes(world)));
  check_sums(world, tally);
  std::printf("%llu stamped readbacks in %.1f s, %.0f/s; torn %llu; %llu large reads; %llu jobs; seed %llu: %s\n",
              number(tally.collected), seconds, static_cast<double>(number(tally.collected)) / seconds,
              number(tally.torn), number(tally.reads), number(tally.jobs),
              static_cast<unsigned long long>(options.seed), world.complaints.count() == 0 ? "good" : "BAD");
  return world.complaints.count() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  try {
    options = parsed(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bad argument: %s. Fix: soak [--seconds S] [--threads N] [--seed N] [--faults]\n",
                 error.what());
    return 2;
  }
  if (test::device_count() == 0) return 77;
  return run(options);
}
