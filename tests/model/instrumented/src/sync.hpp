// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

// Found instead of the library's src/sync.hpp by what is compiled for the model checker: the same names, whose every
// use is a step that the explorer orders.

#include <tailrace/config.hpp>

#include "tests/model/explorer.hpp"

#include <atomic>
#include <type_traits>

namespace tailrace::inline TAILRACE_ABI::detail {

template <class T>
class Atomic {
 public:
  Atomic() noexcept : Atomic{T{}} {}
  Atomic(T value) noexcept : value_{value} {}  // NOLINT(google-explicit-constructor): as std::atomic's

  T load(std::memory_order) const noexcept {
    model::arrive();
    model::has_read(object_);
    return value_;
  }
  void store(T value, std::memory_order) noexcept {
    model::arrive();
    put(value);
  }
  /// Does not fail without a reason.
  bool compare_exchange_weak(T& expected, T desired, std::memory_order, std::memory_order) noexcept {
    model::arrive();
    if (value_ != expected) {
      expected = value_;
      model::has_read(object_);
      return false;
    }
    put(desired);
    return true;
  }

 private:
  void put(T value) noexcept {
    value_ = value;
    if constexpr (std::is_integral_v<T>) {
      model::has_stored(object_, value);
    } else {
      model::has_written(object_);
    }
  }
  T value_;
  mutable model::Object object_;
};

class Mutex {
 public:
  void lock() noexcept {
    model::arrive_when([this] { return !locked_; });
    locked_ = true;
    model::has_written(object_);
  }
  bool try_lock() noexcept {
    model::arrive();
    if (locked_) {
      model::has_read(object_);
      return false;
    }
    locked_ = true;
    model::has_written(object_);
    return true;
  }
  void unlock() noexcept {
    model::arrive();
    locked_ = false;
    model::has_written(object_);
  }

 private:
  bool locked_ = false;
  model::Object object_;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
