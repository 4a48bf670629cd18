// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/error.hpp>
#include <tailrace/view.hpp>

#include "src/region.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace tailrace::inline TAILRACE_ABI {

namespace detail {
namespace {

[[noreturn]] void overflow(const std::string& what, const char* operation) {
  throw Error{Errc::region_overflow,
              what,
              "check offset, length and pitch; all of them are in bytes",
              {.operation = operation}};
}

std::size_t add(std::size_t a, std::size_t b, const char* operation) {
  std::size_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) overflow("offset and length do not fit in the address space", operation);
  return sum;
}

std::size_t multiply(std::size_t a, std::size_t b, const char* operation) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) overflow("the region does not fit in the address space", operation);
  return product;
}

void check_pitches(const DeviceView& view, const char* operation) {
  const auto refuse = [operation](const char* what) {
    throw Error{Errc::invalid_argument,
                what,
                "pass the distance in bytes from the start of a row (slice) to the next",
                {.operation = operation}};
  };
  if (view.pitch < view.width) refuse("the row pitch is smaller than the row");
  if (view.depth <= 1) return;
  if (view.slice_pitch < multiply(view.pitch, view.height, operation)) {
    refuse("the slice pitch is smaller than the slice");
  }
  if (view.slice_pitch % view.pitch != 0) refuse("the slice pitch is not a multiple of the row pitch");
}

// From the first byte of the region to one behind its last; the padding behind the last row does not count.
std::size_t extent(const DeviceView& view, const char* operation) {
  const std::size_t rows = multiply(view.height - 1, view.height > 1 ? view.pitch : 0, operation);
  const std::size_t slices = multiply(view.depth - 1, view.depth > 1 ? view.slice_pitch : 0, operation);
  return add(add(slices, rows, operation), view.width, operation);
}

}  // namespace

std::size_t checked_product(std::size_t a, std::size_t b) { return multiply(a, b, "view"); }

Source checked(const DeviceView& view, const char* operation) {
  const std::size_t bytes = multiply(multiply(view.width, view.height, operation), view.depth, operation);
  if (bytes == 0) return {};
  if (view.data == nullptr) {
    throw Error{Errc::null_source,
                "the source is null and " + std::to_string(bytes) + " bytes are asked for",
                "pass the device pointer, or a length of 0",
                {.operation = operation}};
  }
  const bool rows = view.height > 1 || view.depth > 1;
  if (rows) check_pitches(view, operation);
  const std::size_t end = add(view.offset, rows ? extent(view, operation) : bytes, operation);
  static_cast<void>(add(reinterpret_cast<std::uintptr_t>(view.data), end, operation));
  const void* const start = static_cast<const std::byte*>(view.data) + view.offset;
  if (!rows || view.dense()) return {.region = {.data = start, .width = bytes}, .bytes = bytes};
  return {.region = {.data = start,
                     .width = view.width,
                     .height = view.height,
                     .depth = view.depth,
                     .pitch = view.pitch,
                     .slice_pitch = view.slice_pitch},
          .bytes = bytes};
}

Source part(const Source& whole, std::size_t begin, std::size_t limit) noexcept {
  const backend::Region& r = whole.region;
  const std::size_t row = begin / r.width;
  const std::size_t in_row = begin % r.width;
  const std::size_t in_slice = row % r.height;
  backend::Region out = r;
  out.data = static_cast<const std::byte*>(r.data) + row / r.height * r.slice_pitch + in_slice * r.pitch + in_row;
  out.height = out.depth = 1;
  if (in_row != 0 || limit < r.width) {
    out.width = std::min(limit, r.width - in_row);
  } else if (in_slice != 0 || limit < r.width * r.height) {
    out.height = std::min(limit / r.width, r.height - in_slice);
  } else {
    out.height = r.height;
    out.depth = std::min(limit / (r.width * r.height), r.depth - row / r.height);
  }
  return {.region = out, .bytes = out.width * out.height * out.depth};
}

}  // namespace detail

DeviceView DeviceView::shifted(std::size_t distance) const {
  DeviceView view = *this;
  view.offset = detail::add(offset, distance, "DeviceView::shifted");
  return view;
}

std::size_t DeviceView::bytes() const {
  return detail::multiply(detail::multiply(width, height, "DeviceView::bytes"), depth, "DeviceView::bytes");
}

}  // namespace tailrace::inline TAILRACE_ABI
