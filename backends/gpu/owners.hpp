// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// What the device parts of the tool own, with the vendor's runtime. All belong to the device that is current when they
/// are made; what cannot be made throws Error (Errc::driver_error).

#include "backends/gpu/vendor.hpp"

#include <cstddef>
#include <memory>

namespace tailrace::inline TAILRACE_ABI::gpu {

struct Free {
  void operator()(void* memory) const noexcept { static_cast<void>(TAILRACE_GPU(Free)(memory)); }
};
template <class T>
using DeviceArray = std::unique_ptr<T[], Free>;

/// @p count elements of device memory; their content is undefined.
template <class T>
DeviceArray<T> allocate(std::size_t count) {
  void* memory = nullptr;
  check(TAILRACE_GPU(Malloc)(&memory, count * sizeof(T)), "Malloc");
  return DeviceArray<T>{static_cast<T*>(memory)};
}

/// A stream that does not synchronise with the legacy stream.
struct OwnStream {
  TAILRACE_GPU(Stream_t) handle = nullptr;
  OwnStream() { check(TAILRACE_GPU(StreamCreateWithFlags)(&handle, TAILRACE_GPU(StreamNonBlocking)), "StreamCreate"); }
  ~OwnStream() { static_cast<void>(TAILRACE_GPU(StreamDestroy)(handle)); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
};

}  // namespace tailrace::inline TAILRACE_ABI::gpu
