// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// The tool's reader of PNG files. Nearly every mutation breaks a checksum, behind which no decoder looks; so half of
// the inputs are tried with their checksums put right.

#include "src/tool/png_read.hpp"

#include "fuzz.hpp"

#include <zlib.h>

#include <vector>

namespace {

constexpr std::size_t signature_bytes = 8;
constexpr std::size_t word = 4;

std::uint32_t big_endian(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24U | std::uint32_t{at[1]} << 16U | std::uint32_t{at[2]} << 8U | at[3];
}

/// A chunk is: length, kind, data, checksum over kind and data.
void put_checksums_right(std::vector<std::uint8_t>& file) {
  std::size_t at = signature_bytes;
  while (file.size() >= at + 3 * word) {
    const std::size_t length = big_endian(&file[at]);
    if (length > file.size() - at - 3 * word) return;
    const auto sum = static_cast<std::uint32_t>(crc32_z(0, &file[at + word], word + length));
    at += 2 * word + length;
    for (unsigned i = 0; i < word; ++i) file[at + i] = static_cast<std::uint8_t>(sum >> (24U - 8U * i));
    at += word;
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailrace::tool;
  if (size == 0) return 0;
  std::vector<std::uint8_t> file(data, data + size - 1);
  if (data[size - 1] % 2 == 0) put_checksums_right(file);  // the last byte is not of the file
  const std::span<const std::byte> content = std::as_bytes(std::span{file});
  if (!looks_like_png(content)) return 0;  // the reader's precondition
  fuzz::accepted([&] {
    const Grid grid = read_png("fuzzed", content);
    fuzz::require(usable_shape(grid.width, grid.height), "a shape that can be computed on");
    fuzz::require(grid.cells.size() == grid.width * grid.height, "as many cells as the shape says");
    for (const float cell : grid.cells) fuzz::require(cell >= 0 && cell <= 1, "a shade between black and white");
  });
  return 0;
}
