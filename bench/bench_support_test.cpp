// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// What the benchmarks share does what they take for granted.

#include <tailrace/ring.hpp>

#include "bench/support/event_ring.hpp"
#include "bench/support/pageable.hpp"
#include "bench/support/read_pieces.hpp"
#include "bench/support/row.hpp"
#include "bench/support/team.hpp"
#include "bench/support/triad.hpp"
#include "bench/support/window.hpp"

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace bench;

constexpr std::size_t bytes = 64;

TEST(BenchSource, NoticesAWrongByte) {
  const Source source{bytes, 3};
  std::vector<std::byte> arrived(bytes);
  test::Stream stream;
  plain::blocking_copy(arrived, source.piece(4), stream);
  EXPECT_NO_THROW(source.check_all(4, arrived.data()));
  EXPECT_THROW(source.check_ends(5, arrived.data()), std::runtime_error);
  arrived[bytes / 2] ^= std::byte{1};
  EXPECT_NO_THROW(source.check_ends(4, arrived.data()));
  EXPECT_THROW(source.check_all(4, arrived.data()), std::runtime_error);
  arrived.back() ^= std::byte{1};
  EXPECT_THROW(source.check_ends(4, arrived.data()), std::runtime_error);
}

TEST(BenchSource, SamplesFindAPartThatDidNotArriveAnew) {
  constexpr std::size_t large = 65536;
  constexpr std::size_t missing = 16384;  // the shortest part that is found for certain
  const Source source{large, 1};
  const std::vector<std::byte> right = source.buffer().download();
  for (std::size_t at = 0; at < large; at += missing) {
    std::vector<std::byte> arrived = right;
    EXPECT_NO_THROW(source.check_samples(0, arrived.data()));
    source.spoil_samples(arrived.data());
    std::copy_n(right.begin(), at, arrived.begin());
    std::copy(right.begin() + at + missing, right.end(), arrived.begin() + at + missing);
    EXPECT_THROW(source.check_samples(0, arrived.data()), std::runtime_error) << at;
  }
  std::vector<std::byte> arrived = right;
  source.spoil_samples(arrived.data());
  std::copy(right.begin(), right.end() - 1, arrived.begin());
  EXPECT_THROW(source.check_samples(0, arrived.data()), std::runtime_error);
}

TEST(BenchPageable, IsAlignedAndOnlyFreshMemoryIsNewAgain) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  for (const Pages pages : {Pages::touched, Pages::fresh_small, Pages::fresh_huge}) {
    Pageable memory{huge_page, pages};
    EXPECT_EQ(memory.bytes().size(), huge_page);
    std::ranges::fill(memory.bytes(), std::byte{7});
    memory.renew();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.bytes().data()) % huge_page, 0U);
    const std::byte expected{static_cast<unsigned char>(pages == Pages::touched ? 7 : 0)};
    EXPECT_EQ(std::ranges::count(memory.bytes(), expected), static_cast<std::ptrdiff_t>(huge_page));
  }
}

/// Counts that leave groups and slots half used, one after the other.
template <class Ring>
void read_some(Ring& ring) {
  const Source source{bytes, 7};
  test::Stream producer;
  for (const std::size_t count : {1U, 8U, 9U, 3U, 50U}) {
    read_pieces(ring, source, count, producer, Check::all);
    EXPECT_TRUE(ring.empty());
  }
}

TEST(BenchRings, ThatByHandReadsEveryPieceInTurn) {
  test::Stream copy_stream;
  plain::EventRing ring{bytes, 8, copy_stream};
  read_some(ring);
}

TEST(BenchRings, OurWindowsReadEveryPieceInTurn) {
  tailrace::ReadbackRing ring{tailrace::Device{0}, {.slots = 16, .capacity = bytes}};
  Window window{ring, bytes, 8};
  read_some(window);
  RecordWindow record_window{ring, bytes, 8, 4};
  read_some(record_window);
  EXPECT_EQ(ring.statistics().outstanding, 0U);
  EXPECT_EQ(ring.statistics().peak_in_flight, 8U);
}

TEST(BenchRings, ABatchedCopyBringsEveryPieceWhereThereIsOne) {
  const Source source{bytes, 3};
  test::Stream stream;
  plain::Pinned pinned{2 * bytes};
  std::vector<void*> to{pinned.data(), pinned.data() + bytes};
  std::vector<const void*> from{source.piece(1), source.piece(2)};
  if (!plain::has_batched_copy()) {
    EXPECT_THROW(plain::copy_batch_async(to, from, bytes, stream), std::runtime_error);
    return;
  }
  plain::copy_batch_async(to, from, bytes, stream);
  stream.synchronize();
  source.check_all(1, pinned.data());
  source.check_all(2, pinned.data() + bytes);
}

TEST(BenchTriad, ComputesEveryElement) {
  constexpr std::size_t count = 1000;
  test::Buffer a{count * sizeof(float)};
  test::Buffer b{count * sizeof(float)};
  test::Buffer c{count * sizeof(float)};
  const std::vector<float> ones(count, 1);
  const std::vector<float> twos(count, 2);
  b.upload(std::as_bytes(std::span{ones}));
  c.upload(std::as_bytes(std::span{twos}));
  test::Stream stream;
  const auto floats = [](test::Buffer& buffer) { return static_cast<float*>(buffer.data()); };
  triad(floats(a), floats(b), floats(c), count, stream);
  stream.synchronize();
  const std::vector<float> sevens(count, 7);
  const auto expected = std::as_bytes(std::span{sevens});
  EXPECT_EQ(a.download(), std::vector<std::byte>(expected.begin(), expected.end()));
}

TEST(BenchStamp, IsOnTheClockOfTheHost) {
  test::Stream stream;
  plain::Stamp before;
  plain::Stamp after;
  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  const double begin = now();
  before.record(stream);
  after.record(stream);
  stream.synchronize();
  EXPECT_GE(after.seconds(), before.seconds());
  // How well two clocks are set by each other is up to who else runs: a wrong unit or origin is off by far more.
  EXPECT_GE(before.seconds(), begin - 1);
  EXPECT_LE(after.seconds(), now() + 1);
}

TEST(BenchTeam, RunsAllItsThreadsAndGoesOnAfterAFailure) {
  Team team{3};
  std::atomic<unsigned> sum = 0;
  EXPECT_GE(team.run([&](unsigned number) { sum += number + 1; }), 0);
  EXPECT_EQ(sum, 6U);
  EXPECT_THROW(team.run([](unsigned number) {
    if (number == 1) throw std::runtime_error{"one failed"};
  }),
               std::runtime_error);
  team.run([&](unsigned) { ++sum; });
  EXPECT_EQ(sum, 9U);
}

class Seen : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      labels.push_back(run.report_label);
      counters.push_back(run.counters);
    }
  }
  std::vector<std::string> labels;
  std::vector<benchmark::UserCounters> counters;
};

Seen run(Row row, const Way& plain, const Way& ours) {
  benchmark::ClearRegisteredBenchmarks();
  add("of a test", [&](benchmark::State& state) { take_turns(state, row, plain, ours); })->Iterations(5);
  Seen seen;
  benchmark::RunSpecifiedBenchmarks(&seen);
  return seen;
}

Way always(double seconds) {
  return [=] { return seconds; };
}

TEST(BenchRow, ReportsFiguresAndWhatIsComparedInTheUnitsAskedFor) {
  Seen seen = run({.name = "time", .work = 2, .goal = 1.5}, always(8e-6), always(4e-6));
  ASSERT_EQ(seen.labels, std::vector<std::string>{"time"});
  EXPECT_DOUBLE_EQ(seen.counters[0]["plain"], 4);
  EXPECT_DOUBLE_EQ(seen.counters[0]["ours"], 2);
  EXPECT_DOUBLE_EQ(seen.counters[0]["ratio"], 2);
  EXPECT_DOUBLE_EQ(seen.counters[0]["goal"], 1.5);
  EXPECT_FALSE(seen.counters[0].contains("x"));

  seen = run({.name = "bandwidth", .work = 8e9, .figure = Figure::gb_per_s, .x = 3}, always(2), always(1));
  EXPECT_DOUBLE_EQ(seen.counters[0]["plain"], 4);
  EXPECT_DOUBLE_EQ(seen.counters[0]["ours"], 8);
  EXPECT_DOUBLE_EQ(seen.counters[0]["ratio"], 2);
  EXPECT_DOUBLE_EQ(seen.counters[0]["x"], 3);
  EXPECT_FALSE(seen.counters[0].contains("goal"));

  seen = run({.name = "latency", .compare = Compare::ours_over_plain}, always(4), always(5));
  EXPECT_DOUBLE_EQ(seen.counters[0]["ratio"], 1.25);
  seen = run({.name = "cost", .figure = Figure::ns, .compare = Compare::difference}, always(4e-9), always(5e-9));
  EXPECT_NEAR(seen.counters[0]["ratio"], 1, 1e-9);
}

TEST(BenchRow, IsTheMedianOfTurnsInWhichTheFirstWayChanges) {
  std::string order;
  double seconds = 0;
  const Seen seen = run(
      {.name = "turns", .work = 1e6},
      [&] {
        order += 'p';
        return seconds += 1;
      },
      [&] {
        order += 'o';
        return 1.0;
      });
  EXPECT_EQ(order,
            "poop"
            "poop"
            "po");
  EXPECT_DOUBLE_EQ(seen.counters[0].at("plain"), 3);
}

void ask_for_repetitions(const char* argument) {
  std::string program{"test"};
  std::string repetitions{argument};
  std::array arguments{program.data(), repetitions.data()};
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
}

TEST(BenchRow, LargeWorkIsSetUpOnceWhateverRepetitionsAreAskedFor) {
  ask_for_repetitions("--benchmark_repetitions=4");
  benchmark::ClearRegisteredBenchmarks();
  int set_up = 0;
  int turns = 0;
  const Way turn = [&] {
    ++turns;
    return 1.0;
  };
  add_large("of a test", 7, [&](benchmark::State& state) {
    ++set_up;
    take_turns(state, {.name = "large"}, turn, always(1));
  });
  Seen seen;
  benchmark::RunSpecifiedBenchmarks(&seen);
  ask_for_repetitions("--benchmark_repetitions=1");
  EXPECT_EQ(set_up, 1);
  EXPECT_EQ(turns, plain::on_host ? 3 : 7);
  EXPECT_EQ(seen.labels, std::vector<std::string>{"large"});
}

TEST(BenchRow, HasNoFiguresIfAWayThrows) {
  const Seen seen = run({.name = "wrong"}, always(1), []() -> double { throw std::runtime_error{"wrong bytes"}; });
  ASSERT_EQ(seen.labels.size(), 1U);
  EXPECT_TRUE(seen.labels[0].empty());
  EXPECT_TRUE(seen.counters[0].empty());
}

}  // namespace
