// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// P9. What does continuous readback cost a kernel that is bound by the device's memory? Beside our ring, against the
// same beside bare copies: both move as much as the link carries, so that the difference is ours.

#include <tailrace/ring.hpp>

#include "bench/support/event_ring.hpp"
#include "bench/support/read_pieces.hpp"
#include "bench/support/row.hpp"
#include "bench/support/triad.hpp"
#include "bench/support/window.hpp"

namespace {

using namespace bench;

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t array_bytes = plain::on_host ? 8 * mib : 256 * mib;
constexpr std::size_t kernels = plain::on_host ? 2 : 64;  // of a turn
constexpr std::size_t readback_bytes = plain::on_host ? mib : 16 * mib;
constexpr std::size_t depth = 4;

class Kernels {
 public:
  Kernels() {
    b_.fill(std::byte{0});
    c_.fill(std::byte{0});
  }
  void launch() {
    for (std::size_t i = 0; i < kernels; ++i) {
      triad(floats(a_), floats(b_), floats(c_), array_bytes / sizeof(float), stream_);
    }
    done_.record(stream_);
  }
  [[nodiscard]] bool done() const { return done_.done(); }

 private:
  static float* floats(test::Buffer& buffer) { return static_cast<float*>(buffer.data()); }
  test::Buffer a_{array_bytes};
  test::Buffer b_{array_bytes};
  test::Buffer c_{array_bytes};
  test::Stream stream_;
  plain::Event done_;
};

bool try_take(plain::EventRing& ring, const auto& read) {
  if (!ring.ready()) return false;
  ring.take(read);
  return true;
}
bool try_take(Window<tailrace::ReadbackRing>& window, const auto& read) { return window.try_take(read); }

/// Keeps as many readbacks in flight as there may be until the kernels are over. @returns the kernels' seconds
template <class Ring>
double kernels_beside(Ring& ring, Kernels& kernels_to_run, const Source& source, tailrace::StreamRef producer) {
  std::size_t submitted = 0;
  std::size_t taken = 0;
  const auto read = [&](const std::byte* bytes) { source.check_ends(taken++, bytes); };
  while (!ring.full()) ring.submit(source.piece(submitted++), producer);
  const auto start = std::chrono::steady_clock::now();
  kernels_to_run.launch();
  while (!kernels_to_run.done()) {
    if (try_take(ring, read)) ring.submit(source.piece(submitted++), producer);
  }
  const double seconds = seconds_since(start);
  while (!ring.empty()) ring.take(read);
  return seconds;
}

void kernel_beside(benchmark::State& state) {
  const Source source{readback_bytes, 3};
  Kernels kernels_to_run;
  test::Stream producer;
  test::Stream copy_stream;
  plain::EventRing raw{readback_bytes, depth, copy_stream};
  tailrace::ReadbackRing ring{tailrace::Device{0},
                              {.slots = depth, .capacity = readback_bytes, .wait_mode = tailrace::WaitMode::spin}};
  Window window{ring, readback_bytes, depth};
  read_pieces(raw, source, depth, producer, Check::all);
  read_pieces(window, source, depth, producer, Check::all);
  kernels_beside(raw, kernels_to_run, source, producer);
  take_turns(
      state, {.name = "P9", .work = 3.0 * array_bytes * kernels, .figure = Figure::gb_per_s, .goal = 0.98},
      [&] { return kernels_beside(raw, kernels_to_run, source, producer); },
      [&] { return kernels_beside(window, kernels_to_run, source, producer); });
}

const auto* const registered = add_large("kernel_beside", 25, kernel_beside);

}  // namespace
