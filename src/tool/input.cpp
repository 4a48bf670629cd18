// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "input.hpp"

#include "input_error.hpp"
#include "npy_read.hpp"
#include "png_read.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace tailrace::tool {
namespace {

/// No usable input is larger: the most cells as float32, and room for headers.
constexpr std::uintmax_t largest_file = most_cells * sizeof(float) + (std::uintmax_t{1} << 20);

std::vector<std::byte> content_of(const std::filesystem::path& path) {
  const std::string name = path.string();
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw InputError{name, "there is no such file"};
  // A pipe or device might never end.
  if (!std::filesystem::is_regular_file(status)) throw InputError{name, "not a regular file"};
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw InputError{name, "cannot be read (" + error.message() + ")"};
  if (size > largest_file) throw InputError{name, std::to_string(size) + " bytes are more than any usable input has"};
  std::ifstream stream{path, std::ios::binary};
  if (!stream) throw InputError{name, std::string{"cannot be opened ("} + std::strerror(errno) + ")"};
  std::vector<std::byte> content(size);
  stream.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(size));
  if (static_cast<std::uintmax_t>(stream.gcount()) != size) throw InputError{name, "cannot be read to its end"};
  return content;
}

}  // namespace

Grid read_input(const std::filesystem::path& path) {
  const std::string name = path.string();
  const std::vector<std::byte> content = content_of(path);
  if (content.empty()) throw InputError{name, "the file is empty"};
  Grid grid;
  if (looks_like_png(content)) {
    grid = read_png(name, content);
  } else if (looks_like_npy(content)) {
    grid = read_npy(name, content);
  } else {
    throw InputError{name, "neither a PNG nor a .npy file"};
  }
  check_cells(name, grid);
  return grid;
}

}  // namespace tailrace::tool
