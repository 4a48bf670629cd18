// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// What the kernel says of memory, for tests of what is mapped where.

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace test {

enum class Pages { unmapped, some_untouched, all_touched };

/// Of the pages of this range, which begins at one.
inline Pages pages_of(const void* memory, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> resident((bytes + page - 1) / page);
  if (mincore(const_cast<void*>(memory), bytes, resident.data()) != 0) return Pages::unmapped;
  for (const unsigned char flags : resident) {
    if ((flags & 1U) == 0) return Pages::some_untouched;
  }
  return Pages::all_touched;
}

/// Whether a child that is forked now has the memory.
inline bool child_inherits(const void* memory, std::size_t bytes) {
  const pid_t child = fork();
  if (child == 0) _exit(pages_of(memory, bytes) == Pages::unmapped ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status != 0;
}

}  // namespace test
