// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <atomic>
#include <mutex>

namespace tailrace::inline TAILRACE_ABI::detail {

// By which the threads in a ring act on each other. The names are our own so that the model checker can compile a ring
// with its own types in their place, see tests/model.
template <class T>
using Atomic = std::atomic<T>;
using Mutex = std::mutex;

}  // namespace tailrace::inline TAILRACE_ABI::detail
