// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/host_device.hpp>

#include "backends/host/host_error.hpp"
#include "backends/host/stream.hpp"

#include <thread>
#include <vector>

namespace tailrace::inline TAILRACE_ABI::host {

/// The graph captures under way, and what they forbid. Not synchronised; the machine's mutex guards it.
class Captures {
 public:
  Code begin(const Stream& stream, CaptureMode mode);
  Code end(const Stream& stream, bool& unharmed);
  /// A captured stream that is destroyed ends its capture.
  void forget(const Stream& stream);

  [[nodiscard]] bool includes(const Stream& stream) const;
  /// The stream is legacy while a blocking stream of its device captures: using it would pull it into the capture.
  [[nodiscard]] bool implicates(const Stream& stream) const;

  /// Asks for a call that could harm a capture, by the calling thread in this mode. A refusal invalidates the captures
  /// that forbid it.
  Code unsafe_call(CaptureMode mode);
  /// Asks for work on the stream. A refusal invalidates the captures that forbid it.
  Code use(const Stream& stream);
  /// Asks for a wait for the stream's work. A captured stream has none to wait for.
  Code synchronize(const Stream& stream);

 private:
  struct Capture {
    const Stream* stream = nullptr;
    std::thread::id thread;
    CaptureMode mode = CaptureMode::global;
    bool unharmed = true;
  };
  template <class Forbids>
  bool harm(Forbids forbids);

  std::vector<Capture> captures_;
};

}  // namespace tailrace::inline TAILRACE_ABI::host
