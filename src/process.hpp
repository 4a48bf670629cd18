// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>
#include <tailrace/error.hpp>

#include <atomic>

namespace tailrace::inline TAILRACE_ABI::detail {

/// Whether an object may still touch the device and its threads: not in a forked child of the process that made it, and
/// not once process exit has begun. Checking costs two loads.
class ProcessGuard {
 public:
  /// Remembers this process.
  ProcessGuard() noexcept;

  /// In a forked child: the object must be left exactly as it is.
  [[nodiscard]] bool forked() const noexcept { return generation_ != generation.load(std::memory_order_relaxed); }
  /// Process exit has begun.
  [[nodiscard]] static bool exiting() noexcept { return exit_begun.load(std::memory_order_relaxed); }
  /// Neither of them.
  [[nodiscard]] bool usable() const noexcept { return !forked() && !exiting(); }
  /// @throws Error (Errc::forked, Errc::exiting)
  void check(const char* operation) const {
    if (!usable()) [[unlikely]]
      throw_refusal(operation);
  }
  /// What check() throws. Only if not usable().
  [[nodiscard]] Error refusal(const char* operation) const;

  /// Process exit has begun: noted by a handler at exit, or by a driver call that says so.
  static void begin_exit() noexcept;
  /// To be called at an object's first use after its construction. Handlers that run at exit run in the reverse order
  /// of their registration, and an object's destructor is registered when its constructor has ended: only a handler
  /// registered after that runs before a static or thread-local object's destructor.
  static void watch_exit() noexcept;

 private:
  [[noreturn]] void throw_refusal(const char* operation) const;

  static inline std::atomic<unsigned> generation{1};  // one more in every forked child
  static inline std::atomic<bool> exit_begun{false};
  static void in_forked_child() noexcept;
  friend class DriverWork;
  unsigned generation_;
};

/// Held by a thread of the library's own while it makes driver calls: process exit waits for it, since a vendor's
/// runtime must not be torn down under a call. Not allowed() once process exit has begun.
class DriverWork {
 public:
  DriverWork() noexcept;
  ~DriverWork();
  DriverWork(const DriverWork&) = delete;
  DriverWork& operator=(const DriverWork&) = delete;
  [[nodiscard]] bool allowed() const noexcept { return allowed_; }

 private:
  bool allowed_;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
