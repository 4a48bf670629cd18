// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/stream.hpp>

#include <cstddef>

namespace bench {

/// Enqueues a kernel that is bound by the device's memory: a[i] = b[i] + 3 c[i] for i < count. triad.cu and
/// triad_host.cpp implement it.
void triad(float* a, const float* b, const float* c, std::size_t count, tailrace::StreamRef stream);

}  // namespace bench
