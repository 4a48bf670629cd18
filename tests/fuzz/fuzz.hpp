// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// What the fuzz targets share. A target takes any bytes and checks that what it calls either answers something
/// consistent or refuses with the library's own error; the sanitizers watch the memory.

#include <tailrace/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace fuzz {

/// Ends the process, which libFuzzer reports with the input that led here.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

/// Calls it. @returns false if it refused, which is right only with an error that says how to fix it
template <class Call>
bool accepted(Call call) {
  try {
    call();
    return true;
  } catch (const tailrace::Error& error) {
    require(std::string_view{error.what()}.find("Fix: ") != std::string_view::npos, "an error says how to fix it");
    return false;
  }
}

/// The bytes of an input, taken from the front. Zeros when it is used up.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_{data, size} {}

  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    const std::size_t bytes = std::min(sizeof value, rest_.size());
    if (bytes != 0) std::memcpy(&value, rest_.data(), bytes);
    rest_ = rest_.subspan(bytes);
    return value;
  }
  [[nodiscard]] std::span<const std::byte> rest() const { return std::as_bytes(rest_); }
  [[nodiscard]] std::string_view text() const { return {reinterpret_cast<const char*>(rest_.data()), rest_.size()}; }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace fuzz

/// What libFuzzer calls.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
