// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/testing.hpp>

#include "src/counters.hpp"

namespace tailrace::inline TAILRACE_ABI::control {

void start_sequences_at(std::uint64_t sequence) noexcept { detail::first_sequence.store(sequence); }

void start_counters_at(std::uint64_t value) noexcept { detail::first_count.store(value); }

}  // namespace tailrace::inline TAILRACE_ABI::control
