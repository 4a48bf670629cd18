// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/copy_arena_core.hpp"
#include "src/wakeup.hpp"
#include "tests/support/copies.hpp"

#include <tailrace/copy_arena.hpp>
#include <tailrace/tbb.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <latch>
#include <thread>
#include <utility>
#include <vector>

namespace tailrace::test {
namespace {

using detail::ArenaCore;
using detail::Piece;
using detail::PieceGroup;
using detail::Wakeup;

/// Bytes that tell places apart.
std::vector<std::byte> pattern(std::size_t bytes) {
  std::vector<std::byte> filled(bytes);
  for (std::size_t i = 0; i < bytes; ++i) filled[i] = static_cast<std::byte>(i * 7 + i / 251);
  return filled;
}

/// One copy cut into pieces.
struct Chunk {
  Chunk(std::size_t bytes, std::size_t pieces_wanted, Wakeup* wakeup = nullptr)
      : source{pattern(bytes)}, destination(bytes) {
    group.left = pieces_wanted;
    group.wakeup = {std::shared_ptr<void>{}, wakeup};  // the caller's
    const std::size_t length = bytes / pieces_wanted;
    for (std::size_t i = 0; i < pieces_wanted; ++i) {
      pieces.push_back({destination.data() + i * length, source.data() + i * length, length, &group});
    }
  }
  [[nodiscard]] bool copied() const { return group.left.load(std::memory_order_acquire) == 0; }

  std::vector<std::byte> source;
  std::vector<std::byte> destination;
  PieceGroup group;
  std::vector<Piece> pieces;
};

/// A foreign arena that keeps what is enqueued until it is asked to run it.
struct ManualArena {
  std::vector<std::function<void()>> waiting;

  ForeignArena handle(unsigned concurrency) {
    return {.threads = concurrency, .enqueue = [this](std::function<void()> f) { waiting.push_back(std::move(f)); }};
  }
  void run_all() {
    for (const auto& f : std::exchange(waiting, {})) f();
  }
};

struct CountedJob final : detail::ArenaJob {
  explicit CountedJob(int& count) : runs{count} {}
  void run() noexcept override { ++runs; }
  int& runs;
};

TEST(CopyArena, TheDefaultArenaIsSharedWhileItIsUsed) {
  const CopyArena first = CopyArena::default_arena();
  const CopyArena second = CopyArena::default_arena();
  EXPECT_EQ(first.concurrency(), second.concurrency());
  EXPECT_GE(first.concurrency(), 1U);
  EXPECT_LE(first.concurrency(), 32U);
}

TEST(CopyArena, ConcurrencyIsClamped) {
  EXPECT_EQ(CopyArena(CopyArenaOptions{.concurrency = 0, .numa_node = {}}).concurrency(), 1U);
  EXPECT_EQ(CopyArena(CopyArenaOptions{.concurrency = 33, .numa_node = {}}).concurrency(), 32U);
}

Errc error_of_node(int node) {
  return error_of([node] { CopyArena{CopyArenaOptions{.concurrency = {}, .numa_node = node}}; }).value_or(Errc{});
}

TEST(CopyArena, ANumaNodeThatThereIsNotIsRefused) {
  EXPECT_EQ(error_of_node(-1), Errc::invalid_argument);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(error_of_node(12345), Errc::invalid_argument);  // oneTBB loads its NUMA part as no sanitizer permits
#endif
}

TEST(CopyArena, AForeignArenaWithoutAFunctionIsRefused) {
  EXPECT_EQ(error_of([] { CopyArena{ForeignArena{.threads = 1, .enqueue = {}}}; }), Errc::invalid_argument);
}

TEST(CopyArena, ADefaultArenaCanBeMadeAgainAfterItsLastUser) {
  for (int round = 0; round < 50; ++round) {
    CopyStreams streams;
    streams.async_load("tag", [] {});
    streams.async_wait("tag");
  }
}

TEST(CopyArena, PiecesAreCopiedAndTheLastOneWakesTheOwner) {
  Wakeup wakeup;  // outlives the arena, and so every notification
  const auto arena = ArenaCore::own({.concurrency = 4, .numa_node = {}});
  for (int round = 0; round < 100; ++round) {
    Chunk chunk{1 << 16, 8, &wakeup};
    arena->enqueue_pieces(chunk.pieces);
    for (std::uint64_t seen = wakeup.epoch(); !chunk.copied(); seen = wakeup.epoch()) {
      wakeup.wait_for(seen, std::chrono::minutes{1});
    }
    ASSERT_EQ(chunk.source, chunk.destination);
  }
}

TEST(CopyArena, WhoeverWaitsCanCopyPiecesItself) {
  ManualArena manual;
  const auto arena = ArenaCore::foreign(manual.handle(2));
  Chunk chunk{4096, 4};
  arena->enqueue_pieces(chunk.pieces);
  while (arena->run_one_piece()) {
  }
  EXPECT_TRUE(chunk.copied());
  EXPECT_EQ(chunk.source, chunk.destination);
  EXPECT_FALSE(arena->run_one_piece());
}

TEST(CopyArena, PiecesAreServedBeforeJobs) {
  ManualArena manual;
  const auto arena = ArenaCore::foreign(manual.handle(1));
  Chunk chunk{4096, 4};
  struct Observer final : detail::ArenaJob {
    explicit Observer(const Chunk& observed) : chunk{observed} {}
    void run() noexcept override { pieces_first = chunk.copied(); }
    const Chunk& chunk;
    bool pieces_first = false;
  };
  const auto job = std::make_shared<Observer>(chunk);
  arena->enqueue(job);
  arena->start_drainers(1);
  arena->enqueue_pieces(chunk.pieces);
  manual.run_all();
  EXPECT_TRUE(job->pieces_first);
}

TEST(CopyArena, AtMostItsConcurrencyOfDrainersIsEnqueued) {
  ManualArena manual;
  const auto arena = ArenaCore::foreign(manual.handle(3));
  int runs = 0;
  for (int job = 0; job < 10; ++job) {
    arena->enqueue(std::make_shared<CountedJob>(runs));
    arena->start_drainers(1);
  }
  EXPECT_EQ(manual.waiting.size(), 3U);
  manual.run_all();
  EXPECT_EQ(runs, 10);
  arena->start_drainers(1);
  EXPECT_EQ(manual.waiting.size(), 1U);
  manual.run_all();
}

TEST(CopyArena, EnqueuesNoMoreDrainersForPiecesThanItIsAskedFor) {
  ManualArena manual;
  const auto arena = ArenaCore::foreign(manual.handle(8));
  Chunk first{4096, 4};
  Chunk second{4096, 4};
  Chunk third{1 << 16, 16};
  arena->enqueue_pieces(first.pieces, 2);
  EXPECT_EQ(manual.waiting.size(), 2U);
  arena->enqueue_pieces(second.pieces, 3);
  EXPECT_EQ(manual.waiting.size(), 3U);
  arena->enqueue_pieces(third.pieces, 100);
  EXPECT_EQ(manual.waiting.size(), 8U);
  manual.run_all();
  for (const Chunk* const chunk : {&first, &second, &third}) EXPECT_EQ(chunk->source, chunk->destination);
}

TEST(CopyArena, DoesNotCountADrainerThatRunsAJobAmongThoseAtPieces) {
  ManualArena manual;
  const auto arena = ArenaCore::foreign(manual.handle(8));
  Chunk chunk{4096, 4};
  struct Reader final : detail::ArenaJob {
    Reader(ArenaCore& core, Chunk& read) : arena{core}, chunk{read} {}
    void run() noexcept override { arena.enqueue_pieces(chunk.pieces, 1); }
    ArenaCore& arena;
    Chunk& chunk;
  };
  arena->enqueue(std::make_shared<Reader>(*arena, chunk));
  arena->start_drainers(1);
  const auto drainer = std::exchange(manual.waiting, {});
  ASSERT_EQ(drainer.size(), 1U);
  drainer.front()();
  EXPECT_EQ(manual.waiting.size(), 1U);  // the one in the job may stay there for long
  manual.run_all();
  EXPECT_EQ(chunk.source, chunk.destination);
}

TEST(CopyArena, PiecesForFreshMemoryAreCopiedByWhoeverWaitsIfNobodyElseDoes) {
  ManualArena manual;
  const auto arena = ArenaCore::foreign(manual.handle(2));
  Chunk chunk{4096, 4};
  for (Piece& piece : chunk.pieces) piece.how = detail::HostCopy::fresh;
  arena->enqueue_pieces(chunk.pieces);
  while (arena->run_one_piece()) {
  }
  EXPECT_EQ(chunk.source, chunk.destination);
  manual.run_all();
}

TEST(CopyArena, AWithdrawnJobDoesNotRun) {
  ManualArena manual;
  const auto arena = ArenaCore::foreign(manual.handle(1));
  int runs = 0;
  const auto job = std::make_shared<CountedJob>(runs);
  arena->enqueue(job);
  EXPECT_TRUE(arena->withdraw(*job));
  EXPECT_FALSE(arena->withdraw(*job));
  arena->start_drainers(1);
  manual.run_all();
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(job.use_count(), 1);
}

TEST(CopyArena, ADrainerThatComesAfterTheLastUserFindsNothing) {
  ManualArena manual;
  {
    CopyStreams streams{{.arena = CopyArena{manual.handle(2)}}};
    streams.async_load("tag", [] {});
    streams.async_wait("tag");
  }
  EXPECT_FALSE(manual.waiting.empty());
  manual.run_all();
}

TEST(CopyArena, AnArenaThatCannotEnqueueLeavesTheJobToTheWaiter) {
  CopyStreams streams{
      {.arena = CopyArena{ForeignArena{.threads = 2, .enqueue = [](const auto&) { throw std::bad_alloc{}; }}}}};
  bool ran = false;
  streams.async_load("tag", [&ran] { ran = true; });
  streams.async_wait("tag");
  EXPECT_TRUE(ran);
}

TEST(Wakeup, AWaitEndsAtItsTime) {
  Wakeup wakeup;
  wakeup.wait_for(wakeup.epoch(), std::chrono::milliseconds{1});
  EXPECT_EQ(wakeup.epoch(), 0U);
}

TEST(Wakeup, WhatHappensBeforeTheSleepIsNotMissed) {
  Wakeup wakeup;
  const std::uint64_t seen = wakeup.epoch();
  wakeup.notify();
  wakeup.wait_for(seen, std::chrono::nanoseconds::max());
  EXPECT_NE(wakeup.epoch(), seen);
}

}  // namespace
}  // namespace tailrace::test
