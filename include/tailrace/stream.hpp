// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>
#include <tailrace/native.hpp>

#include <cstddef>
#include <type_traits>

namespace tailrace::inline TAILRACE_ABI {

/// Names a stream that somebody else owns. A small value; copying is free. The stream must outlive every call that it
/// is passed to.
///
/// There is no way to say "stream 0": the null handle is the legacy default stream to one program and the per-thread
/// default stream to another, depending on how each was compiled. Say which one is meant with @ref legacy() or
/// @ref per_thread().
class TAILRACE_EXPORT StreamRef {
 public:
  StreamRef() = delete;
  StreamRef(int) = delete;             ///< closes `StreamRef{0}`
  StreamRef(std::nullptr_t) = delete;  ///< closes `StreamRef{nullptr}`

  /// @throws Error (Errc::null_stream) if the handle is null
  StreamRef(native_stream stream);  // NOLINT(google-explicit-constructor): a stream is what it is

  /// The legacy default stream of the device in question, which synchronises with blocking streams.
  [[nodiscard]] static StreamRef legacy() noexcept;
  /// The default stream of the calling thread on the device in question.
  [[nodiscard]] static StreamRef per_thread() noexcept;

  /// The handle, for use with the vendor's calls. The two default streams have the vendor's special handles 1 and 2;
  /// HIP before 6.2 has no handle for its legacy stream and takes null in place of 1.
  [[nodiscard]] native_stream get() const noexcept { return handle_; }

  friend bool operator==(StreamRef, StreamRef) noexcept = default;

 private:
  struct Special {};
  StreamRef(Special, native_stream stream) noexcept : handle_{stream} {}
  native_stream handle_;
};

static_assert(std::is_trivially_copyable_v<StreamRef>);
static_assert(!std::is_constructible_v<StreamRef, int> && !std::is_constructible_v<StreamRef, std::nullptr_t>);

}  // namespace tailrace::inline TAILRACE_ABI
