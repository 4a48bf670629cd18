// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "png_read.hpp"

#include "input_error.hpp"

#include <png.h>

#include <array>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

namespace tailrace::tool {
namespace {

// Deflate makes at most 1032 bytes of one. A header that promises more than that is refused before memory is taken.
constexpr std::uint64_t largest_expansion = 1032;

/// One file being decoded. libpng reports errors by longjmp, which runs no destructors: every call that may fail stands
/// in a function of its own whose locals are trivial, and whatever owns memory lives in its callers.
class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> content) : rest_{content} {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc{};
    }
    png_set_read_fn(png_, this, on_read);
  }
  ~Decoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  [[nodiscard]] bool read_header() noexcept {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_info(png_, info_);
    return true;
  }
  /// Reads to the end of the file, so that a missing end is noticed.
  [[nodiscard]] bool read_rows(png_bytepp rows) noexcept {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }

  [[nodiscard]] std::uint32_t width() const noexcept { return png_get_image_width(png_, info_); }
  [[nodiscard]] std::uint32_t height() const noexcept { return png_get_image_height(png_, info_); }
  [[nodiscard]] unsigned bit_depth() const noexcept { return png_get_bit_depth(png_, info_); }
  [[nodiscard]] unsigned colour_type() const noexcept { return png_get_color_type(png_, info_); }
  [[nodiscard]] const char* problem() const noexcept { return problem_.data(); }

 private:
  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    auto& problem = static_cast<Decoder*>(png_get_error_ptr(png))->problem_;
    std::snprintf(problem.data(), problem.size(), "%s", text);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}
  static void on_read(png_structp png, png_bytep destination, std::size_t bytes) {
    auto& rest = static_cast<Decoder*>(png_get_io_ptr(png))->rest_;
    if (bytes > rest.size()) png_error(png, "the file ends too early: it is truncated");
    std::memcpy(destination, rest.data(), bytes);
    rest = rest.subspan(bytes);
  }

  std::span<const std::byte> rest_;
  std::array<char, 160> problem_{};
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

const char* kind_of(unsigned colour_type) {
  switch (colour_type) {
    case PNG_COLOR_TYPE_GRAY: return "grey";
    case PNG_COLOR_TYPE_GRAY_ALPHA: return "grey with transparency";
    case PNG_COLOR_TYPE_PALETTE: return "palette colour";
    case PNG_COLOR_TYPE_RGB: return "colour";
    case PNG_COLOR_TYPE_RGB_ALPHA: return "colour with transparency";
    default: return "unknown";
  }
}

std::vector<float> to_unit_range(const std::vector<png_byte>& pixels, bool wide) {
  std::vector<float> cells(wide ? pixels.size() / 2 : pixels.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = wide ? static_cast<float>(pixels[2 * i] * 256 + pixels[2 * i + 1]) / 65535.0F
                    : static_cast<float>(pixels[i]) / 255.0F;
  }
  return cells;
}

}  // namespace

bool looks_like_png(std::span<const std::byte> content) noexcept {
  constexpr std::array<unsigned char, 8> signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  return content.size() >= signature.size() && std::memcmp(content.data(), signature.data(), signature.size()) == 0;
}

Grid read_png(const std::string& file, std::span<const std::byte> content) {
  Decoder decoder{content};
  if (!decoder.read_header()) throw InputError{file, std::string{"damaged PNG file: "} + decoder.problem()};
  const unsigned depth = decoder.bit_depth();
  if (decoder.colour_type() != PNG_COLOR_TYPE_GRAY || (depth != 8 && depth != 16)) {
    throw InputError{file, "a PNG file of another kind (" + std::string{kind_of(decoder.colour_type())} + ", " +
                               std::to_string(depth) + " bits a channel)"};
  }
  const std::size_t width = decoder.width();
  const std::size_t height = decoder.height();
  check_shape(file, width, height);
  const std::size_t row_bytes = width * (depth / 8);
  if (row_bytes * height / largest_expansion > content.size()) {
    throw InputError{file, "damaged PNG file: " + std::to_string(content.size()) + " bytes cannot hold " +
                               std::to_string(width) + " x " + std::to_string(height) + " pixels; it is truncated"};
  }
  std::vector<png_byte> pixels(row_bytes * height);
  std::vector<png_bytep> rows(height);
  for (std::size_t y = 0; y < height; ++y) rows[y] = pixels.data() + y * row_bytes;
  if (!decoder.read_rows(rows.data())) throw InputError{file, std::string{"damaged PNG file: "} + decoder.problem()};
  return Grid{width, height, to_unit_range(pixels, depth == 16)};
}

}  // namespace tailrace::tool
