// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// PNG and .npy files made out of their parts, for the tests of what reads them.

#include "src/tool/input_error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace test {

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span{text}); }

/// What a reader says about content that it refuses; empty if it does not refuse it.
template <class Reader>
std::string refusal(Reader read, std::string_view content) {
  try {
    static_cast<void>(read("some file", bytes_of(content)));
  } catch (const tailrace::tool::InputError& error) {
    EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("\"some file\""), ::testing::HasSubstr("Fix: "),
                                               ::testing::EndsWith(".")));
    EXPECT_EQ(error.errc(), tailrace::Errc::invalid_argument);
    return error.what();
  }
  return {};
}

inline std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24U), static_cast<char>(value >> 16U), static_cast<char>(value >> 8U),
          static_cast<char>(value)};
}

inline std::string chunk(const std::string& kind, const std::string& data) {
  const std::string body = kind + data;
  const uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(static_cast<std::uint32_t>(crc));
}

/// A PNG file out of its parts, which need not fit each other. @p rows starts each row with its filter byte.
inline std::string png(std::uint32_t width, std::uint32_t height, char depth, char colour_type,
                       const std::string& rows) {
  std::vector<Bytef> packed(compressBound(rows.size()));
  uLongf size = packed.size();
  compress(packed.data(), &size, reinterpret_cast<const Bytef*>(rows.data()), rows.size());
  const std::string header = big_endian(width) + big_endian(height) + std::string{depth, colour_type, '\0', '\0', '\0'};
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) +
         chunk("IDAT", {reinterpret_cast<const char*>(packed.data()), size}) + chunk("IEND", "");
}

inline std::string grey_3x3() { return png(3, 3, 8, 0, std::string{"\0\0\1\2\0\3\4\5\0\6\7\xFF", 12}); }

/// A .npy file out of its header text and nine floats, 0 to 8.
inline std::string npy(const std::string& header, char major = 1) {
  std::string file = "\x93NUMPY";
  file += {major, '\0'};
  file += static_cast<char>(header.size() & 0xFFU);
  file += static_cast<char>(header.size() >> 8U);
  if (major != 1) file += std::string(2, '\0');
  std::vector<float> values(9);
  std::iota(values.begin(), values.end(), 0.0F);
  return file + header + std::string{reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

inline std::string npy_header(const std::string& descr = "'<f4'", const std::string& order = "False",
                              const std::string& shape = "(3, 3)") {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }   \n";
}

}  // namespace test
