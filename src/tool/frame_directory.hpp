// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <filesystem>

namespace tailrace::tool {

/// The directory that holds the frames of both runs: the user's, or a temporary one that is removed at the end.
class FrameDirectory {
 public:
  /// Makes @p wanted and one directory in it for each run; an empty path makes a temporary directory.
  /// @throws InputError if they cannot be made
  explicit FrameDirectory(const std::filesystem::path& wanted);
  ~FrameDirectory();
  FrameDirectory(const FrameDirectory&) = delete;
  FrameDirectory& operator=(const FrameDirectory&) = delete;

  [[nodiscard]] bool temporary() const noexcept { return temporary_; }
  [[nodiscard]] std::filesystem::path blocking() const { return root_ / "blocking"; }
  [[nodiscard]] std::filesystem::path overlapped() const { return root_ / "overlapped"; }

 private:
  bool temporary_;
  std::filesystem::path root_;
};

}  // namespace tailrace::tool
