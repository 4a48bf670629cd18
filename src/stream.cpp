// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/error.hpp>
#include <tailrace/stream.hpp>

#include "backends/adapter.hpp"

namespace tailrace::inline TAILRACE_ABI {

StreamRef::StreamRef(native_stream stream) : handle_{stream} {
  if (stream != nullptr) return;
  throw Error{Errc::null_stream,
              "a null stream handle means the legacy default stream to one program and the per-thread default stream "
              "to another",
              "pass StreamRef::legacy() or StreamRef::per_thread(), or a stream of your own",
              {.operation = "StreamRef"}};
}

StreamRef StreamRef::legacy() noexcept { return {Special{}, backend::legacy_stream}; }

StreamRef StreamRef::per_thread() noexcept { return {Special{}, backend::per_thread_stream}; }

}  // namespace tailrace::inline TAILRACE_ABI
