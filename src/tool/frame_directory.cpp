// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "frame_directory.hpp"

#include "input_error.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

namespace tailrace::tool {
namespace {

constexpr const char* fix = "give --frames a directory that can be made and written to";

std::filesystem::path make_temporary() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "tailrace-demo-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw InputError{name, std::string{"no temporary directory could be made ("} + std::strerror(errno) + ")", fix};
  }
  return name;
}

}  // namespace

FrameDirectory::FrameDirectory(const std::filesystem::path& wanted)
    : temporary_{wanted.empty()}, root_{temporary_ ? make_temporary() : wanted} {
  for (const std::filesystem::path& directory : {blocking(), overlapped()}) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) throw InputError{directory.string(), "the directory cannot be made (" + error.message() + ")", fix};
  }
}

FrameDirectory::~FrameDirectory() {
  std::error_code ignored;
  if (temporary_) std::filesystem::remove_all(root_, ignored);
}

}  // namespace tailrace::tool
