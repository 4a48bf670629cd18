// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// The arithmetic of views: what is accepted lies in the address space, and is cut into parts that cover it once.

#include <tailrace/view.hpp>

#include "src/region.hpp"

#include "fuzz.hpp"

namespace {

using tailrace::DeviceView;
using tailrace::detail::Source;
__extension__ using Wide = unsigned __int128;  // no product of two sizes overflows it

/// A size near where arithmetic goes wrong: small, near a power of two, or anything.
std::size_t size_out_of(fuzz::Input& input) {
  const auto kind = input.take<std::uint8_t>();
  const auto value = input.take<std::size_t>();
  if (kind < 96) return value % 64;
  if (kind < 192) return (std::size_t{1} << kind % 64) + value % 8 - 4;
  return value;
}

/// One behind the last byte that is read, in arithmetic that is wide enough for everything that was accepted.
Wide end_of(const tailrace::backend::Region& r) {
  return reinterpret_cast<std::uintptr_t>(r.data) + Wide{r.depth - 1} * r.slice_pitch + Wide{r.height - 1} * r.pitch +
         r.width;
}

void check_inside(const Source& source, const DeviceView& view) {
  const tailrace::backend::Region& r = source.region;
  fuzz::require(Wide{r.width} * r.height * r.depth == source.bytes, "the size is that of the region");
  fuzz::require(source.bytes == view.bytes(), "the size is that of the view");
  fuzz::require(
      reinterpret_cast<std::uintptr_t>(r.data) == reinterpret_cast<std::uintptr_t>(view.data) + Wide{view.offset},
      "the region starts where the view says");
  fuzz::require(end_of(r) <= Wide{1} << 64U, "the region ends in the address space");
}

/// Only a few parts: a region may have more than can be counted.
void check_parts(const Source& source, std::size_t limit) {
  std::size_t begin = 0;
  for (int i = 0; i < 16 && begin < source.bytes; ++i) {
    const Source part = tailrace::detail::part(source, begin, std::min(limit, source.bytes - begin));
    fuzz::require(part.bytes != 0 && part.bytes <= limit && part.bytes <= source.bytes - begin, "a part that fits");
    fuzz::require(end_of(part.region) <= end_of(source.region), "a part inside the region");
    begin += part.bytes;
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input{data, size};
  DeviceView view;
  view.data = reinterpret_cast<const void*>(size_out_of(input));  // never dereferenced
  view.offset = size_out_of(input);
  view.width = size_out_of(input);
  view.height = size_out_of(input);
  view.depth = size_out_of(input);
  view.pitch = size_out_of(input);
  view.slice_pitch = size_out_of(input);
  const std::size_t limit = std::max<std::size_t>(size_out_of(input), 1);
  fuzz::accepted([&] {
    const DeviceView shifted = view.shifted(limit);
    fuzz::require(shifted.offset == Wide{view.offset} + limit, "shifted by what was asked for");
  });
  fuzz::accepted([&] {
    const Source source = tailrace::detail::checked(view, "fuzz");
    if (source.bytes == 0) return;  // nothing is read
    check_inside(source, view);
    check_parts(source, limit);
  });
  return 0;
}
