// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/enumeration/readbacks.hpp"
#include "tests/enumeration/scenarios.hpp"

#include <tailrace/runtime.hpp>
#include <tailrace/testing.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace enumeration {

using tailrace::Errc;
using tailrace::Error;
using tailrace::ReadOptions;
using tailrace::Runtime;
using tailrace::RuntimeOptions;
namespace control = tailrace::control;

namespace {

constexpr std::size_t chunk = 4096;
constexpr std::size_t bytes = 8 * chunk;  // of a large read

RuntimeOptions options(const Told& told) {
  RuntimeOptions made{.chunk_bytes = chunk, .chunk_slots = 3, .close_bound = longer_than_a_run, .log = told.handler()};
  made.rings.slots_per_ring = 2;
  made.rings.close_bound = longer_than_a_run;
  return made;
}

/// Large reads of a runtime, and what must hold of them:
///  - the destination has the source's bytes; after a failure, as many leading ones as it says;
///  - a tag is free again once it was waited for;
///  - nothing is held between reads, and the statistics say what is held for snapshots;
///  - when the fault is over, reads work.
class Reads {
 public:
  Reads(Invariants& check, Runtime& runtime) : check_{check}, runtime_{runtime} {}

  void blocking(std::span<std::byte> destination, ReadOptions how = {}) {
    begin(destination);
    end(check_attempt([&] { runtime_.read(destination, source_.view, stage().producer(), how); }));
  }
  /// What is done between the start of the read and the wait for it is up to the caller.
  void asynchronous(std::span<std::byte> destination, ReadOptions how, const std::function<void()>& meanwhile) {
    begin(destination);
    const bool started = check_.attempt(
        "async_read", [&] { runtime_.async_read("rho", destination, source_.view, stage().producer(), how); });
    meanwhile();
    if (started) end(check_attempt([&] { runtime_.async_wait("rho"); }));
    check_.refused("a tag that was waited for", Errc::unknown_tag, [&] { runtime_.async_wait("rho"); });
  }
  [[nodiscard]] const tailrace::DeviceView& source() const noexcept { return source_.view; }

  void settle() {
    const tailrace::RuntimeStatistics now = runtime_.statistics();
    check_.require(now.chunks.outstanding == 0, "a chunk is not given back");
    check_.require(now.snapshot_bytes == check_.device_bytes(), "the account of snapshots is wrong");
    check_.require(now.reads == done_ && now.read_bytes == done_ * bytes, "the statistics of reads are wrong");
  }
  void work_on(std::span<std::byte> destination) {
    if (!check_.over()) return;
    const std::size_t before = done_;
    blocking(destination);
    asynchronous(destination, {}, [] {});
    if (stage().lost()) {
      check_.require(done_ == before, "a lost device was read");
    } else {
      check_.require(done_ == before + 2, "a read fails after the fault is over");
    }
    settle();
  }

 private:
  void begin(std::span<std::byte> destination) {
    std::ranges::fill(destination, std::byte{});
    destination_ = destination;
    source_ = stage().stamp(bytes / sizeof(std::uint64_t));
  }
  /// What the read threw.
  template <class F>
  std::optional<Error> check_attempt(F&& call) {
    try {
      call();
    } catch (const Error& error) {
      check_.judge("read", error);
      return error;
    }
    return std::nullopt;
  }
  void end(const std::optional<Error>& failure) {
    if (!failure) ++done_;
    const std::size_t good = failure ? failure->good_bytes().value_or(0) : bytes;
    check_.require(test::all_words_are(destination_.first(good), source_.value),
                   "a read gave other bytes than the source's");
  }

  Invariants& check_;
  Runtime& runtime_;
  std::span<std::byte> destination_;
  Stage::Stamped source_{};
  std::size_t done_ = 0;
};

void blocking_reads(Invariants& check) {
  std::vector<std::byte> destination(bytes);
  const auto runtime = check.make<Runtime>(0, options(check.told()));
  if (!runtime) return;
  Reads reads{check, *runtime};
  reads.blocking(destination);
  reads.settle();
  reads.blocking(destination, {.snapshot = true});
  reads.settle();
  reads.work_on(destination);
}

void direct_reads(Invariants& check) {
  const auto runtime = check.make<Runtime>(0, options(check.told()));
  if (!runtime) return;
  Reads reads{check, *runtime};
  reads.blocking(stage().pinned().first(bytes));
  reads.asynchronous(stage().pinned().first(bytes), {}, [] {});
  reads.settle();
  reads.work_on(stage().pinned().last(bytes));
}

/// Its source is guarded while the device is busy.
void asynchronous_reads(Invariants& check) {
  std::vector<std::byte> destination(bytes);
  const auto runtime = check.make<Runtime>(0, options(check.told()));
  if (!runtime) return;
  Reads reads{check, *runtime};
  reads.asynchronous(destination, {}, [] {});
  {
    std::optional<test::Hold> hold{std::in_place, stage().producer()};
    reads.asynchronous(stage().pinned().first(bytes), {}, [&] {
      if (!check.faulty()) check.attempt("guard_source", [&] { runtime->guard_source("rho", stage().other()); });
      hold.reset();
      control::settle_streams();
    });
  }
  reads.settle();
  reads.work_on(destination);
}

void snapshots(Invariants& check) {
  std::vector<std::byte> destination(bytes);
  const auto runtime = check.make<Runtime>(0, options(check.told()));
  if (!runtime) return;
  Reads reads{check, *runtime};
  for (int round = 0; round < 2; ++round) {
    reads.asynchronous(destination, {.snapshot = true}, [&] { stage().overwrite(reads.source()); });
    reads.settle();
  }
  reads.work_on(destination);
}

/// Host work beside readbacks, all of them under way together.
void tagged_copies(Invariants& check) {
  std::vector<std::byte> destination(bytes);
  const Told& told = check.told();
  const auto runtime = check.make<Runtime>(0, options(told));
  if (!runtime) return;
  Readbacks<Runtime> readbacks{check, *runtime, told, stage()};
  Reads reads{check, *runtime};
  std::vector<int> packed(1000);
  int sum = 0;
  check.attempt("overlap_copy_compute", [&] {
    runtime->overlap_copy_compute(
        "pack", [&] { std::iota(packed.begin(), packed.end(), 0); },
        [&] {
          readbacks.submit(8);
          reads.asynchronous(destination, {}, [&] {
            check.attempt("async_load", [&] { runtime->async_load("sum", [&] { sum = 1; }); });
            readbacks.submit(8);
          });
          check.attempt("async_wait", [&] { runtime->async_wait("sum"); });
        });
  });
  check.require(packed.back() == 999 && sum == 1, "a job was not run");
  readbacks.settle();
  reads.settle();
  readbacks.work_on(2);
  reads.work_on(destination);
}

/// Destroyed while everything is under way and nothing can end.
void destroyed_in_flight(Invariants& check) {
  std::vector<std::byte> destination(bytes);
  const Told& told = check.told();
  const test::Hold hold{stage().producer()};
  RuntimeOptions impatient = options(told);
  impatient.close_bound = std::chrono::nanoseconds{0};
  impatient.rings.close_bound = std::chrono::nanoseconds{0};
  const auto runtime = check.make<Runtime>(0, impatient);
  if (!runtime) return;
  Readbacks<Runtime> readbacks{check, *runtime, told, stage()};
  readbacks.submit(8);
  const Stage::Stamped source = stage().stamp(bytes / sizeof(std::uint64_t));
  const bool started = check.attempt("async_read", [&] {
    runtime->async_read("rho", destination, source.view, stage().producer(), {.snapshot = true});
  });
  check.attempt("close", [&] {
    const tailrace::CloseReport report = runtime->close(std::chrono::nanoseconds{0});
    check.require(check.faulty() || !report.drained, "copies in flight are not reported");
  });
  if (!started) return;
  try {
    runtime->async_wait("rho");
    check.violated("a read ended that could not");
  } catch (const Error& error) {
    if (error.errc() != Errc::closed) check.judge("async_wait", error);
  }
}

}  // namespace

std::vector<Scenario> runtime_scenarios() {
  return {{"read_blocking", blocking_reads},  {"read_direct", direct_reads},
          {"read_async", asynchronous_reads}, {"read_snapshot", snapshots},
          {"tagged_copies", tagged_copies},   {"runtime_destroyed", destroyed_in_flight}};
}

}  // namespace enumeration
