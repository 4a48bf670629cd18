// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/testing.hpp>

#include "backends/host/call.hpp"

#include <memory>
#include <utility>

// The group of <tailrace/testing.hpp> that tells the host backend's devices what to do.
namespace tailrace::inline TAILRACE_ABI::control {
namespace {

using host::Lock;
using host::Machine;
using host::Mark;

template <class F>
auto with_machine(F f) {
  Machine& machine = Machine::get();
  const Lock lock{machine.mutex};
  return f(machine);
}

}  // namespace

StreamHold::StreamHold(StreamRef stream) : gate_{std::make_shared<Mark>()} {
  host::check(host::application_call(stream.get(),
                                     [&](Machine& machine, Lock& lock) {
                                       return machine.hold(lock, stream.get(), std::static_pointer_cast<Mark>(gate_));
                                     }),
              "StreamHold");
}

StreamHold::~StreamHold() { release(); }

void StreamHold::release() noexcept {
  with_machine([&](Machine& machine) { machine.scheduler.complete(*std::static_pointer_cast<Mark>(gate_)); });
}

void fail_call(DriverCall kind, std::uint64_t k, Failure failure) {
  with_machine([&](Machine& machine) { machine.faults.fail_one(kind, k, failure); });
}

void fail_calls(DriverCall kind) {
  with_machine([&](Machine& machine) { machine.faults.fail_all(kind); });
}

void fail_any_call(std::uint64_t k, Failure failure, CallsOf whose) {
  with_machine([&](Machine& machine) { machine.faults.fail_one(std::nullopt, k, failure, whose); });
}

void clear_failures() noexcept {
  with_machine([](Machine& machine) { machine.faults.clear(); });
}

void revive_devices() noexcept {
  with_machine([](Machine& machine) { machine.scheduler.revive(); });
}

void lose_device(int device) noexcept {
  with_machine([&](Machine& machine) { machine.scheduler.lose(device); });
}

std::uint64_t calls(DriverCall kind) noexcept {
  return with_machine([&](Machine& machine) { return machine.faults.calls(kind); });
}

std::uint64_t calls(CallsOf whose) noexcept {
  const std::uint64_t mine = host::this_thread().seam_calls;
  if (whose == CallsOf::this_thread) return mine;
  const std::uint64_t all = with_machine([](Machine& machine) { return machine.faults.calls(); });
  return whose == CallsOf::all_threads ? all : all - mine;
}

std::vector<DriverCall> failed_calls() {
  return with_machine([](Machine& machine) { return machine.faults.failed(); });
}

void complete_copies_at_enqueue(bool on) noexcept {
  with_machine([&](Machine& machine) { machine.scheduler.complete_copies_at_enqueue = on; });
}

void settle_streams() noexcept {
  Machine& machine = Machine::get();
  Lock lock{machine.mutex};
  machine.scheduler.wait_until(lock, [&] { return machine.scheduler.settled(); });
}

PinnedAllocationHold::PinnedAllocationHold() {
  with_machine([](Machine& machine) { ++machine.pinned_holds; });
}

PinnedAllocationHold::~PinnedAllocationHold() { release(); }

void PinnedAllocationHold::release() noexcept {
  with_machine([&](Machine& machine) {
    if (std::exchange(released_, true)) return;
    --machine.pinned_holds;
    machine.scheduler.wake_sleepers();
  });
}

void PinnedAllocationHold::wait_until_blocked() const {
  Machine& machine = Machine::get();
  Lock lock{machine.mutex};
  machine.scheduler.wait_until(lock, [&] { return machine.pinned_blocked != 0; });
}

Resources resources() noexcept {
  return with_machine([](Machine& machine) {
    return Resources{.pinned_bytes = machine.pinned.bytes(),
                     .pinned_allocations = machine.pinned.count(),
                     .device_bytes = machine.device_memory.bytes(),
                     .streams = machine.streams(),
                     .events = machine.events()};
  });
}

void limit_pinned_bytes(std::size_t bytes) noexcept {
  with_machine([&](Machine& machine) { machine.pinned_limit = bytes; });
}

}  // namespace tailrace::inline TAILRACE_ABI::control
