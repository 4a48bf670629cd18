// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "backends/gpu/vendor.hpp"

#include <cstddef>
#include <cstdint>

/// The kernels of the device support; each call enqueues one.
namespace test::kernels {

using Stream = TAILRACE_GPU(Stream_t);

/// Runs until the word, in mapped host memory, is @p epoch or more.
void hold(const unsigned* gate, unsigned epoch, Stream stream);
/// Runs for that many ticks of the device's clock; two million are about a millisecond on most.
void spin(long long ticks, Stream stream);
void stamp(std::uint64_t* words, std::size_t count, std::uint64_t value, Stream stream);
/// Writes one word: a fault where no memory is.
void poke(unsigned* where, Stream stream);

}  // namespace test::kernels
