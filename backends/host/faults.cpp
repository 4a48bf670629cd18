// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "backends/host/faults.hpp"

namespace tailrace::inline TAILRACE_ABI::host {

using control::CallsOf;
using control::Failure;

bool Faults::Plan::concerns(DriverCall call) const noexcept {
  if (kind && *kind != call) return false;
  if (whose == CallsOf::all_threads) return true;
  return (whose == CallsOf::this_thread) == (planned_by == std::this_thread::get_id());
}

std::optional<Failure> Faults::count(DriverCall kind) {
  ++calls_.count[index(kind)];
  ++all_calls_;
  std::optional<Failure> failure;
  if (always_[index(kind)]) failure = Failure::once;
  // Every plan counts this call, also when another one has decided already; sticky is the worse.
  std::erase_if(plans_, [&](Plan& plan) {
    if (!plan.concerns(kind)) return false;
    if (--plan.calls_left != 0) return false;
    if (failure != Failure::sticky) failure = plan.failure;
    return true;
  });
  if (failure) failed_.push_back(kind);
  return failure;
}

void Faults::fail_one(std::optional<DriverCall> kind, std::uint64_t k, Failure failure, CallsOf whose) {
  plans_.push_back({kind, k == 0 ? 1 : k, failure, whose, std::this_thread::get_id()});
}

void Faults::clear() noexcept {
  plans_.clear();
  failed_.clear();
  always_.fill(false);
}

}  // namespace tailrace::inline TAILRACE_ABI::host
