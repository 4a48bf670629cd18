// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// A test at start-up of what this library stands on: that the bytes which a completed copy left in host memory are the
/// bytes that the host sees, and that streams are in the order that they were put in. Where a driver, a setting or a
/// device breaks this, results are wrong without any error. RuntimeOptions::self_test runs it when a runtime is made.

#include <tailrace/config.hpp>
#include <tailrace/devices.hpp>
#include <tailrace/error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailrace::inline TAILRACE_ABI {

/// A byte that arrived other than it had been written.
struct WrongByte {
  std::uint64_t offset = 0;    ///< in the readback, in bytes
  std::uint64_t readback = 0;  ///< bytes of the readback
  std::byte expected{};
  std::byte found{};
};

/// What was seen on one way through the library.
struct SelfTestPath {
  std::string name{};                ///< e.g. "ring: slots used again"
  std::uint64_t bytes = 0;           ///< that were compared
  std::optional<WrongByte> wrong{};  ///< the first one
  std::optional<Error> failure{};    ///< why the path ended before its end: no byte of a failed copy was looked at
  /// True if something was compared, and all of it was right.
  [[nodiscard]] bool passed() const noexcept { return bytes != 0 && !wrong && !failure; }
};

struct SelfTestReport {
  int device = 0;                     ///< ordinal
  std::vector<SelfTestPath> paths{};  ///< in the order of the test, which ends early if the device is lost
  [[nodiscard]] TAILRACE_EXPORT bool passed() const noexcept;
};

/// Reads stamped patterns back from the device on every path of the library, and compares every byte. Takes some tens
/// of milliseconds, 19 MiB of pinned memory and 3 MiB of the device's, all given back. Waits for work that is on
/// blocking streams of the device.
///
/// Safe from any thread; the calling thread's current device is left as found. What goes wrong on a path is in the
/// report.
/// @throws Error (Errc::stream_capturing) while the calling thread's default stream or a blocking stream captures
/// @throws Error (Errc::device_lost, no_device, out_of_pinned_memory, driver_error, exiting) if it could not begin
[[nodiscard]] TAILRACE_EXPORT SelfTestReport run_self_test(Device device);

/// run_self_test(), unless it passed in this process for this device already. Safe from any thread; of threads that
/// call it at the same time, each may run it.
/// @throws Error (Errc::self_test_failed) naming the path, and the offset, expected and found value of its first wrong
///         byte
/// @throws Error what a path failed with, or as run_self_test()
TAILRACE_EXPORT void require_self_test(Device device);

/// The report as lines of text, one a path.
[[nodiscard]] TAILRACE_EXPORT std::string to_string(const SelfTestReport& report);

/// The parser of TAILRACE_SELF_TEST: "1" is true; "0", and unset (nullopt), false.
/// @throws Error (Errc::invalid_argument) for anything else
[[nodiscard]] TAILRACE_EXPORT bool parse_self_test(std::optional<std::string_view> text);

}  // namespace tailrace::inline TAILRACE_ABI
