// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// How fast do large arrays get into pageable memory? Runtime::read against the plain ways: the vendor's blocking copy
// into the same kind of memory, and a raw asynchronous copy into pinned memory, which is as fast as the link. The ways
// take turns inside each iteration; every counter is made of medians; what was read is checked.
//
//  plain, ours       GB/s of the blocking copy, and of tailrace
//  ratio, goal       ours over plain, and what it should be at least
//  raw               GB/s of the raw copy into pinned memory (1 GiB rows)
//  of_raw, raw_goal  ours over raw, and what it should be at least
//
// TAILRACE_BENCH_WORKERS, TAILRACE_BENCH_CHUNK_BYTES, TAILRACE_BENCH_CHUNK_SLOTS replace the options of the runtime,
// and TAILRACE_BENCH_BYTES the 1 GiB of the large rows.

#include <tailrace/runtime.hpp>

#include "backends/adapter.hpp"
#include "tests/support/device.hpp"

#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using tailrace::backend::Status;

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::optional<std::size_t> knob(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  return std::stoull(text);
}

std::size_t large_bytes() { return knob("TAILRACE_BENCH_BYTES").value_or(std::size_t{1} << 30); }

tailrace::RuntimeOptions options(std::optional<unsigned> workers) {
  tailrace::RuntimeOptions made;
  if (const auto asked = knob("TAILRACE_BENCH_WORKERS")) workers = static_cast<unsigned>(*asked);
  if (workers) made.copy_streams.arena = tailrace::CopyArena{{.concurrency = workers, .numa_node = {}}};
  made.chunk_bytes = knob("TAILRACE_BENCH_CHUNK_BYTES").value_or(made.chunk_bytes);
  made.chunk_slots = static_cast<unsigned>(knob("TAILRACE_BENCH_CHUNK_SLOTS").value_or(made.chunk_slots));
  return made;
}

void require(Status status) {
  if (!status.ok()) throw std::runtime_error{tailrace::backend::error_text(status.code)};
}

enum class Memory : std::uint8_t { touched, fresh_small_pages, fresh_huge_pages };

/// Pageable memory at the start of a huge page. Fresh memory is new at every prepare().
class Destination {
 public:
  Destination(std::size_t bytes, Memory kind) : bytes_{bytes}, kind_{kind} { map(); }
  ~Destination() { munmap(mapped_, bytes_ + huge_page); }
  Destination(const Destination&) = delete;
  Destination& operator=(const Destination&) = delete;

  void prepare() {
    if (kind_ == Memory::touched) {
      std::memset(begin_, 0xA5, bytes_);
    } else {
      munmap(mapped_, bytes_ + huge_page);
      map();
    }
  }
  [[nodiscard]] std::span<std::byte> bytes() const { return {begin_, bytes_}; }

 private:
  void map() {
    mapped_ = mmap(nullptr, bytes_ + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) throw std::bad_alloc{};
    const int advice = kind_ == Memory::fresh_huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
    if (kind_ != Memory::touched) static_cast<void>(madvise(mapped_, bytes_ + huge_page, advice));
    const auto address = reinterpret_cast<std::uintptr_t>(mapped_);
    begin_ = static_cast<std::byte*>(mapped_) + (huge_page - address % huge_page) % huge_page;
  }

  std::size_t bytes_;
  Memory kind_;
  void* mapped_ = nullptr;
  std::byte* begin_ = nullptr;
};

/// Device memory whose every word is another one.
class Source {
 public:
  explicit Source(std::size_t bytes) : buffer{bytes} {
    std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t));
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = word(i);
    buffer.upload(std::as_bytes(std::span{words}));
  }
  [[nodiscard]] static bool is_in(std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t got = 0;
      std::memcpy(&got, bytes.data() + at, sizeof got);
      if (got != word(at / sizeof got)) return false;
    }
    return true;
  }
  test::Buffer buffer;

 private:
  static std::uint64_t word(std::size_t index) { return (index + 1) * 0x9E37'79B9'7F4A'7C15U; }
};

/// A raw copy into pinned memory of its own, and the wait for it.
class RawPinned {
 public:
  explicit RawPinned(std::size_t bytes) : bytes_{bytes} { require(tailrace::backend::pinned_allocate(bytes, memory_)); }
  ~RawPinned() { static_cast<void>(tailrace::backend::pinned_free(memory_)); }
  RawPinned(const RawPinned&) = delete;
  RawPinned& operator=(const RawPinned&) = delete;

  void copy(const Source& source, tailrace::StreamRef stream) {
    require(tailrace::backend::copy_to_host(memory_, {.data = source.buffer.data(), .width = bytes_}, stream.get()));
    require(tailrace::backend::stream_synchronize(stream.get()));
  }

 private:
  std::size_t bytes_;
  void* memory_ = nullptr;
};

/// The times of one way.
class Times {
 public:
  double add(const std::function<void()>& work, int count = 1) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) work();
    seconds_.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / count);
    return seconds_.back();
  }
  [[nodiscard]] double median() {
    const auto middle = seconds_.begin() + static_cast<std::ptrdiff_t>(seconds_.size() / 2);
    std::ranges::nth_element(seconds_, middle);
    return *middle;
  }

 private:
  std::vector<double> seconds_;
};

double gigabytes(std::size_t bytes) { return static_cast<double>(bytes) / 1e9; }

struct Row {
  const char* label;
  Memory memory;
  std::size_t bytes;  ///< 0: large_bytes()
  std::optional<unsigned> workers;
  double goal;
  double raw_goal;  ///< 0: not compared with the raw copy
};

void large_read(benchmark::State& state, const Row& row) {
  const std::size_t bytes = row.bytes != 0 ? row.bytes : large_bytes();
  const int at_once = static_cast<int>(std::clamp<std::size_t>((std::size_t{8} << 20) / bytes, 1, 50));
  test::Stream stream;
  const Source source{bytes};
  const tailrace::DeviceView view{source.buffer.data(), bytes};
  Destination destination{bytes, row.memory};
  RawPinned pinned{bytes};
  tailrace::Runtime runtime{tailrace::Device{0}, options(row.workers)};
  Times plain;
  Times ours;
  Times raw;
  const auto read = [&] { runtime.read(destination.bytes(), view, stream); };
  read();  // makes what the runtime keeps
  for (auto _ : state) {
    destination.prepare();
    plain.add([&] { test::blocking_copy(destination.bytes(), source.buffer, stream); }, at_once);
    if (row.raw_goal > 0) raw.add([&] { pinned.copy(source, stream); });
    destination.prepare();
    state.SetIterationTime(ours.add(read, at_once));
    if (!Source::is_in(destination.bytes())) state.SkipWithError("the bytes are wrong");
  }
  state.SetLabel(row.label);
  state.counters["plain"] = gigabytes(bytes) / plain.median();
  state.counters["ours"] = gigabytes(bytes) / ours.median();
  state.counters["ratio"] = plain.median() / ours.median();
  state.counters["goal"] = row.goal;
  if (row.raw_goal == 0) return;
  state.counters["raw"] = gigabytes(bytes) / raw.median();
  state.counters["of_raw"] = raw.median() / ours.median();
  state.counters["raw_goal"] = row.raw_goal;
}

/// A read with a snapshot. `plain` and `ours` are GB/s of the raw copy into pinned memory and of the read; `free` is
/// how long the producer's stream was busy, over the time of a plain copy on the device, and should be `free_goal` at
/// most.
void snapshot_read(benchmark::State& state) {
  const std::size_t bytes = large_bytes();
  test::Stream stream;
  const Source source{bytes};
  test::Buffer copy{bytes};
  Destination destination{bytes, Memory::touched};
  RawPinned pinned{bytes};
  tailrace::RuntimeOptions with_room = options(std::nullopt);
  with_room.snapshot_limit = bytes;
  tailrace::Runtime runtime{tailrace::Device{0}, with_room};
  const auto start = [&] {
    runtime.async_read("array", destination.bytes(), {source.buffer.data(), bytes}, stream, {.snapshot = true});
    stream.synchronize();
  };
  start();
  runtime.async_wait("array");
  Times on_device;
  Times until_free;
  Times until_read;
  Times raw;
  for (auto _ : state) {
    on_device.add([&] {
      test::device_copy(copy, source.buffer, stream);
      stream.synchronize();
    });
    raw.add([&] { pinned.copy(source, stream); });
    destination.prepare();
    state.SetIterationTime(until_read.add([&] {
      until_free.add(start);
      runtime.async_wait("array");
    }));
    if (!Source::is_in(destination.bytes())) state.SkipWithError("the bytes are wrong");
  }
  state.SetLabel("P2c");
  state.counters["plain"] = gigabytes(bytes) / raw.median();
  state.counters["ours"] = gigabytes(bytes) / until_read.median();
  state.counters["ratio"] = raw.median() / until_read.median();
  state.counters["goal"] = 0.93;
  state.counters["free"] = until_free.median() / on_device.median();
  state.counters["free_goal"] = 1.1;
}

void add_row(const char* name, const Row& row, int iterations) {
  benchmark::RegisterBenchmark(name, large_read, row)
      ->Iterations(iterations)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::size_t kibibyte = 1024;
  constexpr int few = 9;
  constexpr int many = 25;
  add_row("touched", {"P2", Memory::touched, 0, 5, 5.5, 0.95}, few);
  add_row("fresh_small_pages", {"P3 4 KiB pages", Memory::fresh_small_pages, 0, {}, 8, 0}, few);
  add_row("fresh_huge_pages", {"P3 huge pages", Memory::fresh_huge_pages, 0, {}, 8, 0}, few);
  add_row("touched_64KiB", {"P2b 64 KiB", Memory::touched, 64 * kibibyte, {}, 1, 0}, many);
  add_row("touched_256KiB", {"P2b 256 KiB", Memory::touched, 256 * kibibyte, {}, 1, 0}, many);
  add_row("touched_1MiB", {"P2b 1 MiB", Memory::touched, 1024 * kibibyte, {}, 1, 0}, many);
  add_row("touched_16MiB", {"P2b 16 MiB", Memory::touched, 16 * 1024 * kibibyte, {}, 1, 0}, many);
  benchmark::RegisterBenchmark("snapshot", snapshot_read)
      ->Iterations(few)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
