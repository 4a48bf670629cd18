// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "backends/host/faults.hpp"

namespace tailrace::inline TAILRACE_ABI::host {

using control::Failure;

std::optional<Failure> Faults::count(DriverCall kind) noexcept {
  ++calls_.count[index(kind)];
  ++all_calls_;
  std::optional<Failure> failure;
  if (always_[index(kind)]) failure = Failure::once;
  // Every plan counts this call, also when another one has decided already; sticky is the worse.
  std::erase_if(plans_, [&](Plan& plan) {
    if (plan.kind && *plan.kind != kind) return false;
    if (--plan.calls_left != 0) return false;
    if (failure != Failure::sticky) failure = plan.failure;
    return true;
  });
  return failure;
}

void Faults::fail_one(std::optional<DriverCall> kind, std::uint64_t k, Failure failure) {
  plans_.push_back({kind, k == 0 ? 1 : k, failure});
}

void Faults::clear() noexcept {
  plans_.clear();
  always_.fill(false);
}

}  // namespace tailrace::inline TAILRACE_ABI::host
