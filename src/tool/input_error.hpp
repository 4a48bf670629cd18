// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/error.hpp>

#include <string>

namespace tailrace::tool {

/// Something that the user gave is not usable; ends the program with ExitStatus::bad_input.
class InputError : public Error {
 public:
  /// @param file  what was given
  /// @param what  what is wrong with it, one sentence without the final stop
  /// @param fix   what to give instead, one sentence
  InputError(const std::string& file, const std::string& what, const std::string& fix = accepted)
      : Error{Errc::invalid_argument, "\"" + file + "\": " + what, fix} {}

 private:
  static constexpr const char* accepted =
      "give --input an 8- or 16-bit grey PNG file, or a .npy file with a two-dimensional float32 array in C order";
};

}  // namespace tailrace::tool
