// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "backends/adapter.hpp"

namespace tailrace::inline TAILRACE_ABI::host {

/// The host backend's error codes, the native codes of this "vendor". host_error.cpp says what each is called and what
/// it means to the core.
enum class Code : int {
  success = 0,
  not_ready,
  invalid_value,
  invalid_pitch_value,
  memory_allocation,
  host_memory_already_registered,
  host_memory_not_registered,
  invalid_resource_handle,
  no_device,
  invalid_device,
  illegal_address,
  stream_capture_unsupported,
  stream_capture_implicit,
  stream_capture_isolation,
  stream_capture_wrong_thread,
  captured_event,
  injected
};

/// The one place where a code becomes an outcome. Codes that there are not count as failed.
[[nodiscard]] backend::Status status_of(Code code) noexcept;

}  // namespace tailrace::inline TAILRACE_ABI::host
