// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// What the device parts of the tool own on the host backend. All belong to the device that is current when they are
/// made.

#include <tailrace/host_device.hpp>

#include <cstddef>
#include <memory>

namespace tailrace::inline TAILRACE_ABI::host {

struct Free {
  void operator()(void* memory) const noexcept { deallocate(memory); }
};
template <class T>
using DeviceArray = std::unique_ptr<T[], Free>;

/// @p count elements of device memory; their content is undefined.
template <class T>
DeviceArray<T> allocate_array(std::size_t count) {
  return DeviceArray<T>{static_cast<T*>(allocate(count * sizeof(T)))};
}

/// A stream that does not synchronise with the legacy stream.
struct OwnStream {
  native_stream handle = create_stream();
  OwnStream() = default;
  ~OwnStream() { destroy_stream(handle); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
};

}  // namespace tailrace::inline TAILRACE_ABI::host
