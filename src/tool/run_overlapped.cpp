// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "heat.hpp"
#include "run.hpp"

#include <tailrace/runtime.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tailrace::tool {
namespace {

constexpr std::size_t most_frames_in_flight = 4;

/// One of the host buffers that frames go through in turn: idle → reading → writing → idle.
struct FrameBuffer {
  enum class State { idle, reading, writing };
  State state = State::idle;
  std::uint64_t step = 0;
  std::vector<float> field;

  [[nodiscard]] std::string read_tag() const { return "read frame " + std::to_string(step); }
  [[nodiscard]] std::string write_tag() const { return "write frame " + std::to_string(step); }
};

/// The overlapped run. The host never waits for the device, except for the oldest residual when as many are outstanding
/// as the ring has slots, and for the oldest frame when every buffer is in use.
class OverlappedRun {
 public:
  OverlappedRun(const RunPlan& plan, const std::filesystem::path& frames)
      : plan_{plan},
        frames_{frames},
        solver_{plan.initial.cells, plan.format.width, plan.format.height},
        runtime_{plan.device, options(plan)},
        ring_{runtime_.rings().ring_for(sizeof(double))},
        window_{std::min<std::size_t>(ring_->slots(), HeatSolver::residual_history - 1)} {
    for (FrameBuffer& buffer : buffers_) buffer.field.resize(plan.frames() > 0 ? plan.initial.cells.size() : 0);
  }

  /// After a failure, gives up what nobody will collect any more, so that the ring does not complain of it.
  ~OverlappedRun() {
    try {
      for (const Ticket& ticket : tickets_) ring_->discard(ticket);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the first failure is the one to be told
    }
  }
  OverlappedRun(const OverlappedRun&) = delete;
  OverlappedRun& operator=(const OverlappedRun&) = delete;

  RunResult run(Progress& progress) {
    warm_up();
    const std::uint64_t bytes_before = bytes_read();
    result_.residuals.reserve(plan_.steps);
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t step = 1; step <= plan_.steps; ++step) {
      solver_.step();
      read_residual();
      if (plan_.has_frame(step)) read_frame(step);
      advance_frames();
      progress.update(step);
    }
    while (!tickets_.empty()) collect_residual();
    for (std::size_t i = 0; i < buffers_.size(); ++i) reclaim(next_buffer());
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result_.bytes_read = bytes_read() - bytes_before;
    const Statistics statistics = runtime_.statistics().rings;
    result_.stalls = statistics.stalls;
    result_.peak_in_flight = statistics.peak_in_flight;
    return std::move(result_);
  }

 private:
  static RuntimeOptions options(const RunPlan& plan) {
    RuntimeOptions options;
    options.snapshot_limit =
        std::max(options.snapshot_limit, (most_frames_in_flight + 1) * plan.initial.cells.size() * sizeof(float));
    return options;
  }

  /// What happens at first use only is not timed: pinned memory, streams, threads. The ring was made with the object.
  void warm_up() {
    if (plan_.frames() > 0) runtime_.read(buffers_[0].field, solver_.field(), solver_.stream(), {.snapshot = true});
  }

  [[nodiscard]] std::uint64_t bytes_read() const {
    const RuntimeStatistics statistics = runtime_.statistics();
    return statistics.rings.bytes + statistics.read_bytes;
  }

  // Residuals. The next slot in turn is that of the oldest ticket; with a window no larger than the ring it is free
  // again, and the solver has not overwritten what an outstanding ticket reads.

  void read_residual() {
    while (!tickets_.empty() && try_collect_residual()) continue;
    if (tickets_.size() == window_) collect_residual();
    tickets_.push_back(ring_->submit(solver_.residual(), solver_.stream()));
  }
  void collect_residual() {
    ring_->visit<double>(tickets_.front(), [this](std::span<const double> value) { keep(value); });
    tickets_.pop_front();
  }
  bool try_collect_residual() {
    if (!ring_->try_visit<double>(tickets_.front(), [this](std::span<const double> value) { keep(value); })) {
      return false;
    }
    tickets_.pop_front();
    return true;
  }
  void keep(std::span<const double> value) { result_.residuals.push_back(value.front()); }

  // Frames.

  void read_frame(std::uint64_t step) {
    FrameBuffer& buffer = next_buffer();
    reclaim(buffer);
    buffer.step = step;
    runtime_.async_read(buffer.read_tag(), buffer.field, solver_.field(), solver_.stream(), {.snapshot = true});
    buffer.state = FrameBuffer::State::reading;
  }
  /// Buffers in turn, so that the next one is always the one in use for longest.
  FrameBuffer& next_buffer() { return buffers_[next_++ % buffers_.size()]; }

  /// Hands fields that have arrived to jobs that write them. Does not wait.
  void advance_frames() {
    for (FrameBuffer& buffer : buffers_) {
      if (buffer.state != FrameBuffer::State::reading) continue;
      if (runtime_.copy_streams().finished(buffer.read_tag())) write_frame_of(buffer);
    }
  }
  /// Waits until the buffer is idle.
  void reclaim(FrameBuffer& buffer) {
    if (buffer.state == FrameBuffer::State::reading) write_frame_of(buffer);
    if (buffer.state == FrameBuffer::State::writing) runtime_.async_wait(buffer.write_tag());
    buffer.state = FrameBuffer::State::idle;
  }
  void write_frame_of(FrameBuffer& buffer) {
    runtime_.async_wait(buffer.read_tag());
    runtime_.async_load(buffer.write_tag(),
                        [&buffer, this] { write_frame(frame_path(frames_, buffer.step), plan_.format, buffer.field); });
    buffer.state = FrameBuffer::State::writing;
  }

  const RunPlan& plan_;
  const std::filesystem::path& frames_;
  RunResult result_;
  // The runtime comes last of what owns memory: its destructor ends the reads out of the solver and into the buffers.
  HeatSolver solver_;
  std::array<FrameBuffer, most_frames_in_flight> buffers_;
  std::size_t next_ = 0;
  Runtime runtime_;
  std::shared_ptr<ReadbackRing> ring_;  // of the residuals; the handle keeps it from being given up
  std::size_t window_;
  std::deque<Ticket> tickets_;
};

}  // namespace

RunResult run_overlapped(const RunPlan& plan, const std::filesystem::path& frames, Progress& progress) {
  return OverlappedRun{plan, frames}.run(progress);
}

}  // namespace tailrace::tool
