// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// The tool's reader of .npy files.

#include "src/tool/npy_read.hpp"

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailrace::tool;
  const std::span<const std::byte> content = fuzz::Input{data, size}.rest();
  if (!looks_like_npy(content)) return 0;  // the reader's precondition
  fuzz::accepted([&] {
    const Grid grid = read_npy("fuzzed", content);
    fuzz::require(usable_shape(grid.width, grid.height), "a shape that can be computed on");
    fuzz::require(grid.cells.size() == grid.width * grid.height, "as many cells as the shape says");
    fuzz::require(grid.cells.size() * sizeof(float) <= size, "no cell that is not in the file");
    check_cells("fuzzed", grid);
  });
  return 0;
}
