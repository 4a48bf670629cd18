// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "src/device_fault.hpp"
#include "src/driver.hpp"
#include "src/region.hpp"

#include <concepts>

namespace tailrace::inline TAILRACE_ABI::detail {

// What is asked of the driver about a caller's stream and source before anything is enqueued. The driver's device is
// current. `where` makes the ErrorDetails, and is called only if there is an error: this is the hot path.

[[noreturn]] void refuse_capturing(ErrorDetails details);
[[noreturn]] void refuse_memory(const Driver& driver, const backend::Memory& memory, ErrorDetails details);

/// @throws Error (Errc::stream_capturing), or what the driver says of the stream
template <std::invocable Where>
void require_not_capturing(const Driver& driver, DeviceFault& fault, StreamRef stream, const Where& where) {
  bool capturing = false;
  const Status status = driver.stream_capturing(stream.get(), capturing);
  if (!status.ok()) fault.check(status, "capture_query", where());
  if (capturing) refuse_capturing(where());
}

/// @throws Error (Errc::wrong_memory, wrong_device), or what the driver says of the pointer
template <std::invocable Where>
void require_device_memory(const Driver& driver, DeviceFault& fault, const Source& source, const Where& where) {
  backend::Memory memory;
  const Status status = driver.memory_info(source.region.data, memory);
  if (!status.ok()) fault.check(status, "pointer_query", where());
  if (memory.kind == backend::MemoryKind::managed) return;
  if (memory.kind != backend::MemoryKind::device || memory.device != driver.device()) {
    refuse_memory(driver, memory, where());
  }
}

inline void require_not_capturing(const Driver& driver, DeviceFault& fault, StreamRef stream, ErrorDetails details) {
  require_not_capturing(driver, fault, stream, [&] { return details; });
}
inline void require_device_memory(const Driver& driver, DeviceFault& fault, const Source& source,
                                  ErrorDetails details) {
  require_device_memory(driver, fault, source, [&] { return details; });
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
