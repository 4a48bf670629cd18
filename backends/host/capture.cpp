// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "backends/host/capture.hpp"

#include <algorithm>

namespace tailrace::inline TAILRACE_ABI::host {
namespace {

bool pulled_in_by(const Stream& stream, const Stream& captured) {
  return stream.role == StreamRole::legacy && captured.role == StreamRole::blocking && captured.device == stream.device;
}

}  // namespace

Code Captures::begin(const Stream& stream, CaptureMode mode) {
  if (stream.role == StreamRole::legacy) return Code::stream_capture_unsupported;
  if (includes(stream)) return Code::invalid_value;
  captures_.push_back({&stream, std::this_thread::get_id(), mode});
  return Code::success;
}

Code Captures::end(const Stream& stream, bool& unharmed) {
  const auto found = std::ranges::find(captures_, &stream, &Capture::stream);
  if (found == captures_.end()) return Code::invalid_value;
  if (found->mode != CaptureMode::relaxed && found->thread != std::this_thread::get_id())
    return Code::stream_capture_wrong_thread;
  unharmed = found->unharmed;
  captures_.erase(found);
  return Code::success;
}

void Captures::forget(const Stream& stream) {
  std::erase_if(captures_, [&](const Capture& capture) { return capture.stream == &stream; });
}

bool Captures::includes(const Stream& stream) const {
  return std::ranges::find(captures_, &stream, &Capture::stream) != captures_.end();
}

bool Captures::implicates(const Stream& stream) const {
  return std::ranges::any_of(captures_, [&](const Capture& capture) { return pulled_in_by(stream, *capture.stream); });
}

template <class Forbids>
bool Captures::harm(Forbids forbids) {
  bool any = false;
  for (Capture& capture : captures_) {
    if (!forbids(capture)) continue;
    capture.unharmed = false;
    any = true;
  }
  return any;
}

Code Captures::unsafe_call(CaptureMode mode) {
  if (captures_.empty() || mode == CaptureMode::relaxed) return Code::success;
  const auto forbids = [mode, self = std::this_thread::get_id()](const Capture& capture) {
    if (capture.mode == CaptureMode::relaxed) return false;
    const bool by_others = mode == CaptureMode::global && capture.mode == CaptureMode::global;
    return by_others || capture.thread == self;
  };
  return harm(forbids) ? Code::stream_capture_unsupported : Code::success;
}

Code Captures::use(const Stream& stream) {
  const auto forbids = [&](const Capture& capture) { return pulled_in_by(stream, *capture.stream); };
  return harm(forbids) ? Code::stream_capture_implicit : Code::success;
}

Code Captures::synchronize(const Stream& stream) {
  const auto forbids = [&](const Capture& capture) { return capture.stream == &stream; };
  return harm(forbids) ? Code::stream_capture_unsupported : use(stream);
}

}  // namespace tailrace::inline TAILRACE_ABI::host
