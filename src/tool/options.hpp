// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tailrace::tool {

struct Size {
  std::size_t width = 0;
  std::size_t height = 0;
};
/// "640x480"; nullopt for anything else and for shapes that cannot be computed on.
[[nodiscard]] std::optional<Size> parse_size(std::string_view text) noexcept;

struct DemoOptions {
  std::filesystem::path input;
  std::optional<Size> size;  ///< empty: that of the input
  std::uint64_t steps = 1000;
  std::uint64_t every = 50;      ///< a frame at every such step
  std::filesystem::path frames;  ///< empty: a temporary directory
  int device = 0;
  bool verbose = false;
};

struct BenchOptions {
  int device = 0;
  unsigned seconds = 20;
  std::string json{};  ///< a file for the report, "-" for standard output; empty: none
};

struct InfoOptions {
  bool self_test = false;
};

enum class Command { none, info, demo, bench };

/// What the command line says.
struct Options {
  Command command = Command::none;  ///< none: there is nothing to do but to leave with @ref exit_code
  int exit_code = 0;
  InfoOptions info{};
  DemoOptions demo;
  BenchOptions bench;
};

/// Reads the command line; help, version and usage errors are printed here.
[[nodiscard]] Options parse_options(int argc, const char* const* argv);

}  // namespace tailrace::tool
