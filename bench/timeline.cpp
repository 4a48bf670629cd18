// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// Some steps of a kernel, its readback through a ring and the collection of the result, and when each began and ended:
// intervals as JSON on standard output, for bench/report/report.py. Kernel and copy are seen by the streams themselves.
//   timeline [STEPS]

#include <tailrace/ring.hpp>

#include "bench/support/plain.hpp"
#include "bench/support/triad.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

namespace {

using namespace bench;

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t bytes = plain::on_host ? 2 * mib : 16 * mib;
constexpr std::size_t triads = plain::on_host ? 2 : 24;  // of a step's kernel

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Step {
  plain::Stamp kernel_begin, kernel_end, copy_begin, copy_end;
  plain::Event computed;
  double collect_begin = 0;
  double collect_end = 0;
  tailrace::Ticket ticket;
};

class Run {
 public:
  explicit Run(std::size_t steps) : steps_(steps) {
    for (test::Buffer& field : fields_) field.fill(std::byte{0});
    constant_.fill(std::byte{0});
    for (std::size_t i = 0; i < steps; ++i) {
      enqueue(i);
      if (i > 0) collect(steps_[i - 1]);
    }
    collect(steps_.back());
    copy_stream_.synchronize();  // the last stamp is behind what the ring waits for
  }

  void print() const {
    const double origin = steps_.front().kernel_begin.seconds();
    const char* separator = "";
    const auto interval = [&](const char* lane, std::size_t step, double begin, double end) {
      std::printf("%s\n  {\"lane\": \"%s\", \"step\": %zu, \"begin_us\": %.3f, \"end_us\": %.3f}", separator, lane,
                  step, (begin - origin) * 1e6, (end - origin) * 1e6);
      separator = ",";
    };
    std::printf("{\"intervals\": [");
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      interval("kernel", i, step.kernel_begin.seconds(), step.kernel_end.seconds());
      interval("copy", i, step.copy_begin.seconds(), step.copy_end.seconds());
      interval("collect", i, step.collect_begin, step.collect_end);
    }
    std::printf("\n]}\n");
  }

 private:
  /// A step writes the field that the step before the last was read from: this has been collected.
  void enqueue(std::size_t i) {
    Step& step = steps_[i];
    auto* const to = static_cast<float*>(fields_[i % 2].data());
    const auto* const from = static_cast<const float*>(constant_.data());
    step.kernel_begin.record(compute_);
    for (std::size_t n = 0; n < triads; ++n) triad(to, from, from, bytes / sizeof(float), compute_);
    step.kernel_end.record(compute_);
    // The ring orders the copy by itself; the stamp before it needs the same order.
    step.computed.record(compute_);
    step.computed.hold_up(copy_stream_);
    step.copy_begin.record(copy_stream_);
    step.ticket = ring_.submit({to, bytes}, compute_);
    step.copy_end.record(copy_stream_);
  }

  void collect(Step& step) {
    ring_.wait(step.ticket);
    step.collect_begin = now();
    ring_.visit<float>(step.ticket, [this](std::span<const float> values) {
      sum_ += std::accumulate(values.begin(), values.end(), 0.0F);
    });
    step.collect_end = now();
  }

  std::array<test::Buffer, 2> fields_{test::Buffer{bytes}, test::Buffer{bytes}};
  test::Buffer constant_{bytes};
  test::Stream compute_;
  test::Stream copy_stream_;
  tailrace::ReadbackRing ring_{
      tailrace::Device{0},
      {.slots = 4, .capacity = bytes, .copy_stream = copy_stream_, .wait_mode = tailrace::WaitMode::spin}};
  std::vector<Step> steps_;
  float sum_ = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  std::size_t steps = 8;
  if (argc > 1) {
    const std::string_view text = argv[1];
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), steps);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || steps < 2 || steps > 1000) {
      std::fputs("wrong number of steps. Fix: timeline [2 to 1000]\n", stderr);
      return 2;
    }
  }
  static_cast<void>(Run{2});  // warms up
  const Run run{steps};
  run.print();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
