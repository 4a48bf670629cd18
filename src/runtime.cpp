// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/error.hpp>
#include <tailrace/runtime.hpp>
#include <tailrace/self_test.hpp>

#include "src/array_reader.hpp"
#include "src/environment.hpp"
#include "src/kept.hpp"
#include "src/logger.hpp"
#include "src/ring_set_core.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace tailrace::inline TAILRACE_ABI {

namespace {

RuntimeOptions with_logs(RuntimeOptions options) {
  if (!options.rings.log) options.rings.log = options.log;
  if (!options.copy_streams.log) options.copy_streams.log = options.log;
  return options;
}

/// Before anything is made: a runtime that would deliver wrong bytes is none.
void test_if_wanted(Device device, const RuntimeOptions& options) {
  if (options.self_test.value_or(false)) return require_self_test(device);
  if (!options.self_test && parse_self_test(detail::environment("TAILRACE_SELF_TEST"))) require_self_test(device);
}

}  // namespace

class Runtime::Impl {
 public:
  Impl(Device device, const RuntimeOptions& options)
      : fault{std::make_shared<detail::DeviceFault>()},
        rings{std::make_unique<RingSet::Core>(device, options.rings, fault)},
        copy_streams{options.copy_streams},
        reader{device, options, copy_streams.table_, fault},
        close_bound{options.close_bound},
        logger{options.log} {}

  struct Closed {
    CloseReport report;
    bool nobody_inside = false;
  };
  Closed close(detail::Clock::time_point deadline) {
    const auto [nobody_inside, in_flight] = reader.close(deadline);
    static_cast<void>(copy_streams.close());
    const auto left = std::max(deadline - detail::Clock::now(), std::chrono::nanoseconds{0});
    CloseReport report = rings.close(left);
    report.drained = report.drained && nobody_inside && in_flight == 0;
    report.in_flight += in_flight;
    return {.report = report, .nobody_inside = nobody_inside};
  }

  const detail::ProcessGuard process;
  const std::shared_ptr<detail::DeviceFault> fault;
  RingSet rings;
  CopyStreams copy_streams;
  detail::ArrayReader reader;
  const std::chrono::nanoseconds close_bound;
  const detail::Logger logger;
  Impl* next_kept_ = nullptr;

  // In a forked child, at process exit and with callers inside, nothing may be touched: kept until the process ends.
  static void end(std::unique_ptr<Impl> impl) noexcept {
    const detail::Clock::time_point deadline = detail::deadline_after(impl->close_bound);
    bool nobody_inside = false;
    try {
      nobody_inside = impl->process.usable() && impl->close(deadline).nobody_inside;
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): process exit has begun, or memory ran out
    }
    const bool usable = impl->process.usable();
    if (nobody_inside && usable) {
      impl->rings.core().end(deadline);
      return;
    }
    if (usable) {
      impl->logger.warn(
          "a runtime was destroyed with calls inside; all that it holds is kept until the process ends. Fix: let "
          "reads return before the runtime is destroyed");
    }
    detail::Kept<Impl>::add(std::move(impl));
  }
};

Runtime::Runtime(Device device, RuntimeOptions options) {
  test_if_wanted(device, options);
  impl_ = std::make_unique<Impl>(device, with_logs(std::move(options)));
}

Runtime::~Runtime() {
  if (impl_) Impl::end(std::move(impl_));
}

Runtime::Runtime(Runtime&&) noexcept = default;

Runtime& Runtime::operator=(Runtime&& other) noexcept {
  if (this == &other) return *this;
  if (impl_) Impl::end(std::move(impl_));
  impl_ = std::move(other.impl_);
  return *this;
}

Runtime::Impl& Runtime::impl() const {
  if (impl_) return *impl_;
  throw Error{
      Errc::closed, "the runtime was moved from", "use the object that it was moved to", {.operation = "Runtime"}};
}

Device Runtime::device() const { return impl().rings.device(); }
RingSet& Runtime::rings() const { return impl().rings; }
CopyStreams& Runtime::copy_streams() const { return impl().copy_streams; }

void Runtime::read(std::span<std::byte> destination, const DeviceView& source, StreamRef producer,
                   ReadOptions options) {
  impl().reader.read(destination, source, producer, options);
}

void Runtime::async_read(std::string_view tag, std::span<std::byte> destination, const DeviceView& source,
                         StreamRef producer, ReadOptions options) {
  impl().reader.async_read(tag, destination, source, producer, options);
}

void Runtime::guard_source(std::string_view tag, StreamRef stream) { impl().reader.guard_source(tag, stream); }

CloseReport Runtime::close(std::chrono::nanoseconds bound) {
  impl().process.check("Runtime::close");
  return impl().close(detail::deadline_after(bound)).report;
}

RuntimeStatistics Runtime::statistics() const {
  impl().process.check("Runtime::statistics");
  RuntimeStatistics sum;
  sum.rings = impl().rings.statistics();
  impl().reader.add_to(sum);
  return sum;
}

}  // namespace tailrace::inline TAILRACE_ABI
