// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/source_check.hpp"

#include <string>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

void require_not_capturing(const Driver& driver, DeviceFault& fault, StreamRef stream, ErrorDetails details) {
  bool capturing = false;
  fault.check(driver.stream_capturing(stream.get(), capturing), "capture_query", details);
  if (!capturing) return;
  throw Error{
      Errc::stream_capturing,
      "the stream is being captured into a graph, or it is the legacy stream while a blocking stream is captured",
      "do it outside the capture, on a stream that is not captured", std::move(details)};
}

void require_device_memory(const Driver& driver, DeviceFault& fault, const Source& source, ErrorDetails details) {
  backend::Memory memory;
  fault.check(driver.memory_info(source.region.data, memory), "pointer_query", details);
  if (memory.kind == backend::MemoryKind::managed) return;
  if (memory.kind != backend::MemoryKind::device) {
    throw Error{Errc::wrong_memory, "the source is host memory", "pass a device pointer", std::move(details)};
  }
  if (memory.device == driver.device()) return;
  throw Error{Errc::wrong_device,
              "the source is memory of device " + std::to_string(memory.device) + ", the reader is of device " +
                  std::to_string(driver.device()),
              "use a ring or runtime of the source's device", std::move(details)};
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
