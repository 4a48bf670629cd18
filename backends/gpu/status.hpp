// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "backends/adapter.hpp"

namespace tailrace::inline TAILRACE_ABI::backend {

/// What a vendor call returned, as the core sees it, with the last error as the seam promises it.
///
/// The returned code alone is classified. The last error may be an older one of the application's, so it is only
/// cleared after a failing call of our own, which has replaced it anyway. A query that is "not ready" is no failure,
/// but older runtimes note it as one: then that, and nothing else, is taken back.
template <class Api>
Status status(typename Api::Result result) noexcept {
  if (result == Api::success) return {};
  if (result == Api::not_ready) {
    if (Api::notes_not_ready && Api::peek_last_error() == Api::not_ready)
      static_cast<void>(Api::take_last_error(result));
    return {Outcome::not_ready, static_cast<int>(result)};
  }
  const int code = Api::take_last_error(result);
  return {Api::classify(code), code};
}

}  // namespace tailrace::inline TAILRACE_ABI::backend
