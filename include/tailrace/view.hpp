// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <cstddef>
#include <type_traits>

namespace tailrace::inline TAILRACE_ABI {

/// A region of device memory to be read: a pointer, a byte offset and a length, or a pitched 2-D or 3-D box. It owns
/// nothing and checks nothing by itself; whatever takes it checks it before any device call. A pitched region arrives
/// densely packed on the host: row after row, slice after slice, without padding, and no padding byte is read.
/// All sizes are in bytes. It lies in device memory or in managed memory; host memory is refused (Errc::wrong_memory),
/// also where kernels can use it.
struct DeviceView {
  const void* data = nullptr;   ///< device pointer, the start of the allocation or of any part of it
  std::size_t offset = 0;       ///< where the region starts, from @ref data
  std::size_t width = 0;        ///< length of a row; of the whole region if 1-D
  std::size_t height = 1;       ///< rows of a slice
  std::size_t depth = 1;        ///< slices
  std::size_t pitch = 0;        ///< from the start of a row to the next; at least @ref width if height or depth > 1
  std::size_t slice_pitch = 0;  ///< from the start of a slice to the next, a multiple of @ref pitch, if depth > 1

  constexpr DeviceView() noexcept = default;
  /// A 1-D region of @p bytes bytes at @p pointer.
  constexpr DeviceView(const void* pointer, std::size_t bytes) noexcept : data{pointer}, width{bytes} {}
  /// A 1-D region of @p bytes bytes, @p byte_offset bytes behind @p pointer.
  constexpr DeviceView(const void* pointer, std::size_t byte_offset, std::size_t bytes) noexcept
      : data{pointer}, offset{byte_offset}, width{bytes} {}

  /// @p rows rows of @p row_bytes bytes, @p row_pitch bytes apart.
  [[nodiscard]] static constexpr DeviceView pitched(const void* pointer, std::size_t row_bytes, std::size_t rows,
                                                    std::size_t row_pitch) noexcept {
    DeviceView view{pointer, row_bytes};
    view.height = rows;
    view.pitch = row_pitch;
    return view;
  }
  /// @p slices slices, @p slice_bytes bytes apart, each of @p rows rows of @p row_bytes bytes, @p row_pitch bytes
  /// apart.
  [[nodiscard]] static constexpr DeviceView pitched(const void* pointer, std::size_t row_bytes, std::size_t rows,
                                                    std::size_t slices, std::size_t row_pitch,
                                                    std::size_t slice_bytes) noexcept {
    DeviceView view = pitched(pointer, row_bytes, rows, row_pitch);
    view.depth = slices;
    view.slice_pitch = slice_bytes;
    return view;
  }

  /// The same region, @p bytes bytes further on.
  /// @throws Error (Errc::region_overflow)
  [[nodiscard]] TAILRACE_EXPORT DeviceView shifted(std::size_t bytes) const;
  /// Bytes that arrive on the host: width × height × depth.
  /// @throws Error (Errc::region_overflow) if the product does not fit
  [[nodiscard]] TAILRACE_EXPORT std::size_t bytes() const;
  /// True if the region is one run of consecutive bytes.
  [[nodiscard]] constexpr bool dense() const noexcept {
    return (height <= 1 && depth <= 1) || (pitch == width && (depth <= 1 || slice_pitch == pitch * height));
  }
};

/// A @ref DeviceView in elements of T, which must be trivially copyable.
template <class T>
struct TypedView : DeviceView {
  static_assert(std::is_trivially_copyable_v<T>, "bytes of a device array can only become trivially copyable objects");

  /// @p count elements at @p pointer.
  /// @throws Error (Errc::region_overflow) if the size in bytes does not fit
  TypedView(const T* pointer, std::size_t count) : TypedView{pointer, 0, count} {}
  /// @p count elements, @p first elements behind @p pointer: the order of DeviceView's offset and length.
  /// @throws Error (Errc::region_overflow) if the sizes in bytes do not fit
  TypedView(const T* pointer, std::size_t first, std::size_t count)
      : DeviceView{pointer, scaled(first), scaled(count)} {}

  /// @p rows rows of @p columns elements; rows start @p row_pitch **bytes** apart.
  /// @throws Error (Errc::region_overflow) if the sizes in bytes do not fit
  [[nodiscard]] static TypedView pitched(const T* pointer, std::size_t columns, std::size_t rows,
                                         std::size_t row_pitch) {
    TypedView view{pointer, columns};
    view.height = rows;
    view.pitch = row_pitch;
    return view;
  }
  /// @p slices slices, @p slice_bytes **bytes** apart, each of @p rows rows of @p columns elements, @p row_pitch
  /// **bytes** apart.
  /// @throws Error (Errc::region_overflow) if the sizes in bytes do not fit
  [[nodiscard]] static TypedView pitched(const T* pointer, std::size_t columns, std::size_t rows, std::size_t slices,
                                         std::size_t row_pitch, std::size_t slice_bytes) {
    TypedView view = pitched(pointer, columns, rows, row_pitch);
    view.depth = slices;
    view.slice_pitch = slice_bytes;
    return view;
  }

 private:
  static std::size_t scaled(std::size_t count);
};

namespace detail {
/// @throws Error (Errc::region_overflow) if a × b does not fit
[[nodiscard]] TAILRACE_EXPORT std::size_t checked_product(std::size_t a, std::size_t b);
}  // namespace detail

template <class T>
std::size_t TypedView<T>::scaled(std::size_t count) {
  return detail::checked_product(count, sizeof(T));
}

}  // namespace tailrace::inline TAILRACE_ABI
