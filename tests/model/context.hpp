// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <cxxabi.h>
#include <ucontext.h>

#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

namespace model {

/// A stack of its own, on which functions run until they hand control back.
///
/// A context is entered with setcontext() once, and then changed to with longjmp(), which makes no system call.
class Context {
 public:
  Context() : stack_{std::make_unique_for_overwrite<std::byte[]>(size)} {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// What the next resume() begins. Only if what was begun before has ended.
  void begin(std::function<void()> run) { run_ = std::move(run); }
  /// Runs it until it hands back or ends.
  void resume() {
    exchange_exceptions();
    if (_setjmp(caller_) == 0) {
      if (entered_) _longjmp(inside_, 1);
      enter();
    }
    exchange_exceptions();
  }
  /// From inside.
  void hand_back() {
    if (_setjmp(inside_) == 0) _longjmp(caller_, 1);
  }

 private:
  [[noreturn]] void enter() {
    entered_ = true;
    ucontext_t start;
    getcontext(&start);
    start.uc_stack.ss_sp = stack_.get();
    start.uc_stack.ss_size = size;
    start.uc_link = nullptr;
    // makecontext() passes ints.
    const auto address = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&start, reinterpret_cast<void (*)()>(&Context::run_for_ever), 2, static_cast<unsigned>(address >> 32U),
                static_cast<unsigned>(address));
    setcontext(&start);
    std::abort();
  }
  static void run_for_ever(unsigned high, unsigned low) {
    auto& context = *reinterpret_cast<Context*>(static_cast<std::uintptr_t>(high) << 32U | low);
    for (;;) {
      context.run_();
      context.hand_back();
    }
  }
  /// The runtime keeps which exceptions are being handled for each real thread; here each context has its own.
  void exchange_exceptions() {
    auto* const current = reinterpret_cast<std::byte*>(abi::__cxa_get_globals());
    const auto kept = exceptions_;
    std::memcpy(exceptions_.data(), current, exceptions_.size());
    std::memcpy(current, kept.data(), kept.size());
  }

  static constexpr std::size_t size = std::size_t{128} << 10;
  std::function<void()> run_;
  std::unique_ptr<std::byte[]> stack_;
  bool entered_ = false;
  std::jmp_buf inside_{};
  std::jmp_buf caller_{};
  std::array<std::byte, 2 * sizeof(void*)> exceptions_{};
};

}  // namespace model
