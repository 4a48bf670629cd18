// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// Ends processes in every way while rings and runtimes of every lifetime hold results that nobody collected: each must
// end with the status that it asked for, without a word on standard error.

#include <tailrace/error.hpp>
#include <tailrace/runtime.hpp>
#include <tailrace/testing.hpp>

#include "tests/support/device.hpp"
#include "tests/support/process.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

namespace {

using tailrace::Device;
using tailrace::DeviceView;
using test::intended_status;

constexpr std::size_t bytes = std::size_t{1} << 20;

/// A ring, a ring set and a runtime, each with work under way. What they work on is never destroyed.
class Owners {
 public:
  void use() {
    auto& stream = test::never_destroyed<test::Stream>();
    const auto& source = test::never_destroyed<test::Buffer>(bytes);
    auto& destination = test::never_destroyed<std::vector<std::byte>>(bytes);
    ring_.wait(ring_.submit({source.data(), 64}, stream));
    static_cast<void>(ring_.submit({source.data(), 64}, stream));
    static_cast<void>(set_.submit({source.data(), 64}, stream));
    static_cast<void>(runtime_.submit({source.data(), 5000}, stream));
    runtime_.async_read("array", destination, DeviceView{source.data(), bytes}, stream, {.snapshot = true});
    runtime_.async_load("job", [] {});
  }
  /// Everything is over, and still nothing is collected.
  void settle() {
    while (!runtime_.copy_streams().finished("array")) std::this_thread::yield();
    while (!runtime_.copy_streams().finished("job")) std::this_thread::yield();
  }

 private:
  tailrace::ReadbackRing ring_{Device{0}, {.slots = 4}};
  tailrace::RingSet set_{Device{0}, {.slots_per_ring = 4}};
  tailrace::Runtime runtime_{Device{0}, {.chunk_bytes = 4096, .chunk_slots = 2}};
};

int static_and_return() {
  static Owners owners;
  owners.use();
  return intended_status;
}

int static_and_exit() {
  static Owners owners;
  owners.use();
  std::exit(intended_status);
}

int static_one_after_the_other() {
  static Owners first;
  first.use();
  static Owners second;  // destroyed before the first, and before the handlers of the first's use
  second.use();
  return intended_status;
}

#ifdef TAILRACE_BACKEND_HOST
int static_and_no_driver_call() {
  static std::uint64_t calls = 0;
  // Registered first, it runs last.
  static_cast<void>(std::atexit([] {
    if (tailrace::control::calls() != calls) std::_Exit(1);
  }));
  static Owners owners;
  owners.use();
  owners.settle();
  calls = tailrace::control::calls();
  return intended_status;
}
#endif

#ifdef TAILRACE_BACKEND_HOST
// What the threads below have seen: how many of them were told that the process exits.
std::atomic<int> told{0};

template <class F>
void expect_exiting(F&& call) {
  try {
    call();
  } catch (const tailrace::Error& error) {
    if (error.errc() == tailrace::Errc::exiting) ++told;
    told.notify_all();
  }
}

int blocked_calls_and_exit() {
  static_cast<void>(std::atexit([] {
    for (int seen = told; seen != 3; seen = told) told.wait(seen);
  }));
  auto& runtime = test::never_destroyed<tailrace::Runtime>(
      Device{0}, tailrace::RuntimeOptions{.chunk_bytes = 4096, .chunk_slots = 2});
  const auto& source = test::never_destroyed<test::Buffer>(bytes);
  auto& stream = test::never_destroyed<test::Stream>();
  auto& other = test::never_destroyed<test::Stream>();
  test::never_destroyed<test::Hold>(stream);
  auto& destinations = test::never_destroyed<std::vector<std::vector<std::byte>>>(3U, std::vector<std::byte>(bytes));
  const DeviceView view{source.data(), bytes};
  runtime.async_read("array", destinations[0], view, stream);
  runtime.async_read("guarded", destinations[2], view, stream);
  std::thread{[&] { expect_exiting([&] { runtime.read(destinations[1], view, stream); }); }}.detach();
  std::thread{[&] { expect_exiting([&] { runtime.guard_source("guarded", other); }); }}.detach();
  while (runtime.statistics().chunks.outstanding != 4) std::this_thread::yield();
  std::thread{[&] { expect_exiting([&] { runtime.async_wait("array"); }); }}.detach();
  while (true) {  // until the waiter has taken the tag
    try {
      static_cast<void>(runtime.finished("array"));
    } catch (const tailrace::Error&) {
      std::exit(intended_status);
    }
    std::this_thread::yield();
  }
}
#endif

int thread_local_and_return() {
  static thread_local Owners owners;
  owners.use();
  return intended_status;
}

int thread_local_and_exit() {
  static thread_local Owners owners;
  owners.use();
  std::exit(intended_status);
}

int leaked_and_return() {
  auto& owners = test::never_destroyed<Owners>();
  owners.use();
  return intended_status;
}

int leaked_and_exit() {
  auto& owners = test::never_destroyed<Owners>();
  owners.use();
  std::exit(intended_status);
}

int unused_and_return() {
  static const Owners owners;
  static thread_local const Owners more;
  static_cast<void>(&more);
  return intended_status;
}

template <class Use>
[[noreturn]] void end_by_exception(Use&& use) {
  std::set_terminate([] { std::_Exit(intended_status); });  // the language's own handler writes a line
  use();
  throw intended_status;
}

int static_and_uncaught_exception() {
  static Owners owners;
  end_by_exception([] { owners.use(); });
}

int automatic_and_uncaught_exception() {
  Owners owners;
  end_by_exception([&] { owners.use(); });
}

int thread_local_and_uncaught_exception() {
  static thread_local Owners owners;
  end_by_exception([] { owners.use(); });
}

int leaked_and_uncaught_exception() {
  auto& owners = test::never_destroyed<Owners>();
  end_by_exception([&] { owners.use(); });
}

int quick_exit() {
  static Owners owners;
  owners.use();
  std::quick_exit(intended_status);
}

// The ends that run no handler, with every copy in flight until the end.

/// Copies of two rings and of a large read that wait for a held stream.
void hold_copies_in_flight() {
  auto& runtime = test::never_destroyed<tailrace::Runtime>(Device{0});
  auto& stream = test::never_destroyed<test::Stream>();
  const auto& source = test::never_destroyed<test::Buffer>(bytes);
  auto& destination = test::never_destroyed<std::vector<std::byte>>(bytes);
  const DeviceView small{source.data(), 64};
  const DeviceView larger{source.data(), 5000};
  const DeviceView all{source.data(), bytes};
  // Everything is made before the stream is held: to make it may wait for the device.
  static_cast<void>(runtime.collect(runtime.submit(small, stream)));
  static_cast<void>(runtime.collect(runtime.submit(larger, stream)));
  runtime.read(destination, all, stream);
  test::never_destroyed<test::Hold>(stream);
  static_cast<void>(runtime.submit(small, stream));
  static_cast<void>(runtime.submit(larger, stream));
  runtime.async_read("held", destination, all, stream);
}

int in_flight_and_exit_at_once() {
  hold_copies_in_flight();
  ::_exit(intended_status);
}

int in_flight_and_terminated() {
  hold_copies_in_flight();
  std::raise(SIGTERM);
  return 1;
}

int in_flight_and_aborted() {
  hold_copies_in_flight();
  std::abort();
}

constexpr test::Scenario scenarios[] = {
    {"static, return", static_and_return},
    {"static, exit", static_and_exit},
    {"static, one after the other", static_one_after_the_other},
#ifdef TAILRACE_BACKEND_HOST
    {"static, no driver call", static_and_no_driver_call},
    {"blocked calls, exit", blocked_calls_and_exit},
#endif
    {"thread-local, return", thread_local_and_return},
    {"thread-local, exit", thread_local_and_exit},
    {"leaked, return", leaked_and_return},
    {"leaked, exit", leaked_and_exit},
    {"unused, return", unused_and_return},
    {"static, uncaught exception", static_and_uncaught_exception},
    {"thread-local, uncaught exception", thread_local_and_uncaught_exception},
    {"leaked, uncaught exception", leaked_and_uncaught_exception},
    {"automatic, uncaught exception", automatic_and_uncaught_exception},
    {"static, quick exit", quick_exit},
    {"in flight, _exit", in_flight_and_exit_at_once},
    {"in flight, SIGTERM", in_flight_and_terminated, SIGTERM},
    {"in flight, abort", in_flight_and_aborted, SIGABRT},
};

}  // namespace

int main(int argc, char** argv) {
  if (test::device_count() == 0) return 77;
  return test::run_scenarios(argc, argv, scenarios);
}
