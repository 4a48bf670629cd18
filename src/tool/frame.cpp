// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "frame.hpp"

#include <tailrace/error.hpp>

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace tailrace::tool {
namespace {

// Frames are many and written beside the simulation: speed matters more than the last per cent of size.
constexpr int compression_level = 1;

std::string checksum(std::span<const float> field) {
  const std::span<const std::byte> bytes = std::as_bytes(field);
  const uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "field CRC-32 %08lx", crc);
  return text.data();
}

/// One file being encoded. As with reading, libpng's longjmp must not skip destructors: write() has trivial locals
/// only.
class Encoder {
 public:
  explicit Encoder(std::FILE* file) {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_write_struct(&png_, nullptr);
      throw std::bad_alloc{};
    }
    png_init_io(png_, file);
  }
  ~Encoder() { png_destroy_write_struct(&png_, &info_); }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  [[nodiscard]] bool write(const FrameFormat& format, const float* field, char* comment, png_bytep row) noexcept {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_compression_level(png_, compression_level);
    png_set_filter(png_, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(format.width), static_cast<png_uint_32>(format.height), 8,
                 PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    write_comment(comment);
    png_write_info(png_, info_);
    for (std::size_t y = 0; y < format.height; ++y) {
      to_grey(format, field + y * format.width, row);
      png_write_row(png_, row);
    }
    png_write_end(png_, nullptr);
    return true;
  }
  [[nodiscard]] const char* problem() const noexcept { return problem_.data(); }

 private:
  void write_comment(char* comment) {
    char key[] = "Comment";
    png_text text{};
    text.compression = PNG_TEXT_COMPRESSION_NONE;
    text.key = key;
    text.text = comment;
    png_set_text(png_, info_, &text, 1);
  }
  static void to_grey(const FrameFormat& format, const float* cells, png_bytep row) noexcept {
    const float scale = 255.0F / (format.high - format.low);
    for (std::size_t x = 0; x < format.width; ++x) {
      row[x] = static_cast<png_byte>(std::clamp((cells[x] - format.low) * scale + 0.5F, 0.0F, 255.0F));
    }
  }
  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    auto& problem = static_cast<Encoder*>(png_get_error_ptr(png))->problem_;
    std::snprintf(problem.data(), problem.size(), "%s", text);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}

  std::array<char, 160> problem_{};
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

Error cannot_write(const std::filesystem::path& path, const std::string& why) {
  return {Errc::invalid_argument, "\"" + path.string() + "\" cannot be written (" + why + ")",
          "give --frames a directory that can be written to and has room"};
}

}  // namespace

std::filesystem::path frame_path(const std::filesystem::path& directory, std::uint64_t step) {
  const std::string digits = std::to_string(step);
  return directory / ("frame-" + std::string(digits.size() < 8 ? 8 - digits.size() : 0, '0') + digits + ".png");
}

void write_frame(const std::filesystem::path& path, const FrameFormat& format, std::span<const float> field) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen(path.c_str(), "wb"), &std::fclose};
  if (!file) throw cannot_write(path, std::strerror(errno));
  std::string comment = checksum(field);
  std::vector<png_byte> row(format.width);
  Encoder encoder{file.get()};
  if (!encoder.write(format, field.data(), comment.data(), row.data())) throw cannot_write(path, encoder.problem());
  // A full disk may show only now.
  if (std::fclose(file.release()) != 0) throw cannot_write(path, std::strerror(errno));
}

}  // namespace tailrace::tool
