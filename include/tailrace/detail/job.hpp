// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace tailrace::inline TAILRACE_ABI::detail {

/// A move-only `void()` function: what std::function cannot hold (move-only captures) and
/// std::move_only_function (C++23) is not there yet for.
class Job {
 public:
  Job() noexcept = default;
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, Job>)
  explicit Job(F&& f) : body_{std::make_unique<Body<std::decay_t<F>>>(std::in_place, std::forward<F>(f))} {}

  explicit operator bool() const noexcept { return body_ != nullptr; }
  void operator()() { body_->run(); }
  void reset() noexcept { body_.reset(); }

 private:
  struct Base {
    Base() = default;
    Base(const Base&) = delete;
    Base& operator=(const Base&) = delete;
    virtual ~Base() = default;
    virtual void run() = 0;
  };
  template <class F>
  struct Body final : Base {
    template <class G>
    Body(std::in_place_t /*tag*/, G&& g) : f{std::forward<G>(g)} {}
    void run() override { static_cast<void>(f()); }
    F f;
  };
  std::unique_ptr<Base> body_;
};

}  // namespace tailrace::inline TAILRACE_ABI::detail
