// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/devices.hpp>
#include <tailrace/error.hpp>
#include <tailrace/log.hpp>
#include <tailrace/testing.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace enumeration {

/// What one object of the library logs.
class Told {
 public:
  [[nodiscard]] tailrace::LogHandler handler() const;
  [[nodiscard]] std::vector<std::string> of(tailrace::LogLevel level) const;

 private:
  struct Lines {
    std::mutex mutex;
    std::vector<std::pair<tailrace::LogLevel, std::string>> entries;
  };
  std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
};

/// What must hold in every run, whichever driver calls fail. It begins before the first call of the library and ends
/// after the last object of the library; violations are collected, none ends the run. Safe from any thread.
///
///  - A call fails only if a driver call was made to fail, with an Error that says how to mend it and whose kind a
///    failing driver call explains.
///  - No last error is left behind, and the thread's device is as before.
///  - A lost device is told of once by every object, and only if one was lost.
///  - Nothing is left allocated, but what a failing call of the very kind could not give back, what an object says that
///    it keeps, and what belongs to a lost device.
class Invariants {
 public:
  /// @param failures  how many driver calls are going to be made to fail
  explicit Invariants(std::size_t failures);

  /// True if the call returned.
  template <class F>
  bool attempt(std::string_view what, F&& call) {
    try {
      std::forward<F>(call)();
      return true;
    } catch (const tailrace::Error& error) {
      judge(what, error);
    } catch (const std::exception& exception) {
      violated(std::string{what} + " threw something else: " + exception.what());
    }
    return false;
  }
  /// As attempt(), and again if a driver call that failed is to blame: what failed has changed nothing.
  template <class F>
  bool insist(std::string_view what, F&& call) {
    if (attempt(what, call)) return true;
    const bool well = over() && !lost();
    const bool done = attempt(what, call);
    require(done || !well, std::string{what} + " does not work after the fault is over");
    return done;
  }
  /// The call must be refused, with this code.
  template <class F>
  void refused(std::string_view what, tailrace::Errc code, F&& call) {
    try {
      std::forward<F>(call)();
      violated(std::string{what} + " was not refused");
    } catch (const tailrace::Error& error) {
      require(error.errc() == code, std::string{what} + " was refused otherwise: " + error.what());
    }
  }
  /// Null if the constructor threw, or that of the device.
  template <class T, class Options>
  std::unique_ptr<T> make(int device, const Options& options) {
    std::unique_ptr<T> made;
    attempt("constructor", [&] { made = std::make_unique<T>(tailrace::Device{device}, options); });
    return made;
  }

  void require(bool holds, std::string_view what) {
    if (!holds) violated(std::string{what});
  }
  void violated(std::string what);
  /// An error of the library, in itself.
  void judge(std::string_view what, const tailrace::Error& error);
  /// A log that is looked at in the end.
  [[nodiscard]] const Told& told();

  [[nodiscard]] bool faulty() const;  ///< a driver call was made to fail
  [[nodiscard]] bool over() const;    ///< all were that are going to be; false if none is
  [[nodiscard]] bool lost() const;    ///< a device is lost
  /// Pinned memory that the library holds, as the device sees it.
  [[nodiscard]] std::size_t pinned_bytes() const;
  [[nodiscard]] std::size_t device_bytes() const;

  /// The end: what was violated.
  std::vector<std::string> finish();

 private:
  void check_thread();
  void check_logs();
  void check_left();

  const std::size_t failures_;
  const tailrace::control::Resources before_ = tailrace::control::resources();
  const int device_before_;
  mutable std::mutex mutex_;
  std::vector<std::string> violations_;
  std::vector<std::unique_ptr<Told>> told_;
};

}  // namespace enumeration
