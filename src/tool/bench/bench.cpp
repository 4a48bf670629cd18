// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "bench.hpp"

#include "../input_error.hpp"
#include "../progress.hpp"
#include "../table.hpp"
#include "large_reads.hpp"
#include "node.hpp"
#include "plan.hpp"
#include "report.hpp"
#include "small_reads.hpp"

#include <tailrace/copy_arena.hpp>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <utility>

namespace tailrace::tool {
namespace {

/// Where the JSON goes. A file is opened before anything is measured.
class JsonOutput {
 public:
  explicit JsonOutput(std::string path) : path_{std::move(path)} {
    if (to_file()) file_.open(path_);
    check();
  }
  [[nodiscard]] bool wanted() const { return !path_.empty(); }
  [[nodiscard]] bool to_standard_output() const { return path_ == "-"; }
  void write(const std::string& text) {
    (to_file() ? file_ : std::cout) << text << std::flush;
    check();
  }

 private:
  [[nodiscard]] bool to_file() const { return wanted() && !to_standard_output(); }
  void check() const {
    if ((to_file() ? file_.good() : std::cout.good())) return;
    throw InputError{path_, "the report cannot be written there",
                     "give --json a file in a folder that exists, can be written to and has room, or - for standard "
                     "output"};
  }

  std::string path_;
  std::ofstream file_;
};

/// Large reads of the planned size, or of the largest one below it that there is memory for.
std::unique_ptr<LargeReads> make_large_reads(const BenchOptions& options, Device device, BenchReport& report) {
  const Room room{PlainReader::free_bytes(device), available_host_memory()};
  const LargeSize size = plan_large_size(options.seconds, room);
  if (size.note) report.notes.push_back(*size.note);
  auto reads = make_as_large_as_possible(
      size.bytes, [device](std::size_t bytes) { return std::make_unique<LargeReads>(device, bytes); });
  if (reads->bytes() < size.bytes) {
    report.notes.push_back("large reads are of " + binary_size(reads->bytes()) + " only, since " +
                           binary_size(size.bytes) + " of device memory, pinned or ordinary memory were refused");
  }
  return reads;
}

void add(BenchReport& report, std::vector<Figure> figures) {
  report.figures.insert(report.figures.end(), std::move_iterator{figures.begin()}, std::move_iterator{figures.end()});
}

void measure(const BenchOptions& options, Device device, const TimeBudget& budget, BenchReport& report) {
  const std::uint64_t milliseconds = std::uint64_t{1000} * options.seconds;
  Progress progress{"measuring", milliseconds, stderr, ""};
  const auto report_turn = [&] { progress.update(static_cast<std::uint64_t>(budget.seconds_spent() * 1000)); };
  {
    const auto large = make_large_reads(options, device, report);
    add(report, large->measure(budget.share(0.6), report_turn));
    report.device = large->info();
  }
  SmallReads small{device};
  add(report, small.measure_rate(budget.share(0.5), report_turn));
  add(report, small.measure_latency(budget.share(0.9), report_turn));
  report.seconds_taken = budget.seconds_spent();
}

BenchReport look_at_node(const BenchOptions& options) {
  BenchReport report;
  report.version = version();
  report.backend = backend_name();
  report.runtime = runtime_version();
  report.driver = driver_version();
  report.ordinal = options.device;
  report.copy_threads = CopyArena::default_arena().concurrency();
  report.cpu_nodes = numa_nodes_of(affinity_cpus());
  report.seconds_asked = options.seconds;
  return report;
}

void judge(BenchReport& report) {
  if (report.backend == "host") {
    report.notes.emplace_back(
        "this is the host backend, whose reference device shares the CPU's cores with everything else: the figures "
        "show that it works, not how fast a GPU is");
  }
  const Figure* raw = find_figure(report.figures, "raw_pinned");
  report.warnings =
      node_warnings({report.device, report.cpu_nodes, report.copy_threads, summarize(raw->samples).median});
}

}  // namespace

ExitStatus run_bench(const BenchOptions& options) {
  const TimeBudget budget{
      std::chrono::duration<double>(options.seconds)};  // to start the vendor's runtime takes time too
  const Device device{options.device};
  JsonOutput json{options.json};
  BenchReport report = look_at_node(options);
  measure(options, device, budget, report);
  judge(report);
  if (!json.to_standard_output()) std::cout << bench_text(report) << std::flush;
  if (json.wanted()) json.write(bench_json(report));
  for (const Warning& warning : report.warnings) std::cerr << "tailrace: warning: " << warning.text() << '\n';
  return ExitStatus::success;
}

}  // namespace tailrace::tool
