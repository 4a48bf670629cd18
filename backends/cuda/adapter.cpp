// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "backends/cuda/api.hpp"

namespace tailrace::inline TAILRACE_ABI::backend {
using Api = CudaApi;
}

#include "backends/gpu/adapter.inl"
