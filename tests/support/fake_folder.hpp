// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

namespace test {

/// A folder of files with given contents, in place of one in which the kernel shows something.
class FakeFolder {
 public:
  explicit FakeFolder(const std::map<std::string, std::string>& files) {
    std::string name = (std::filesystem::temp_directory_path() / "tailrace-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error{"no temporary folder"};
    path_ = name;
    for (const auto& [file, content] : files) {
      std::filesystem::create_directories((path_ / file).parent_path());
      std::ofstream{path_ / file} << content;
    }
  }
  ~FakeFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  FakeFolder(const FakeFolder&) = delete;
  FakeFolder& operator=(const FakeFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace test
