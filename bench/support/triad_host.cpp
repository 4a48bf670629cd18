// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "bench/support/triad.hpp"

#include <tailrace/host_device.hpp>

namespace bench {

void triad(float* a, const float* b, const float* c, std::size_t count, tailrace::StreamRef stream) {
  tailrace::host::launch(stream, [=] {
    for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + 3 * c[i];
  });
}

}  // namespace bench
