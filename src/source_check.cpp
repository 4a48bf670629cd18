// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/source_check.hpp"

#include <string>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

void refuse_capturing(ErrorDetails details) {
  throw Error{
      Errc::stream_capturing,
      "the stream is being captured into a graph, or it is the legacy stream while a blocking stream is captured",
      "do it outside the capture, on a stream that is not captured", std::move(details)};
}

void refuse_memory(const Driver& driver, const backend::Memory& memory, ErrorDetails details) {
  if (memory.kind != backend::MemoryKind::device) {
    throw Error{Errc::wrong_memory, "the source is host memory", "pass a device pointer", std::move(details)};
  }
  throw Error{Errc::wrong_device,
              "the source is memory of device " + std::to_string(memory.device) + ", the reader is of device " +
                  std::to_string(driver.device()),
              "use a ring or runtime of the source's device", std::move(details)};
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
