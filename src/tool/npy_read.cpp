// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "npy_read.hpp"

#include "input_error.hpp"

#include <bit>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace tailrace::tool {
namespace {

static_assert(std::endian::native == std::endian::little, "the values of the file are used as they are");

constexpr std::string_view magic{"\x93NUMPY", 6};

/// For a message: what a file says may be as long as the file.
std::string shortened(std::string_view text) {
  constexpr std::size_t longest = 40;
  return std::string{text.substr(0, longest)} + (text.size() > longest ? "..." : "");
}

/// The three entries that every .npy header has.
struct Header {
  std::optional<std::string_view> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
};

/// Reads the header, a dictionary as Python writes it: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class HeaderParser {
 public:
  HeaderParser(const std::string& file, std::string_view text) : file_{file}, rest_{text} {}

  Header parse() {
    Header header;
    expect('{');
    while (!accept('}')) {
      entry(header);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (peek() != '\0') malformed("something follows the dictionary");
    if (!header.descr || !header.fortran_order || !header.shape) {
      malformed("it lacks one of 'descr', 'fortran_order' and 'shape'");
    }
    return header;
  }

 private:
  void entry(Header& header) {
    const std::string_view key = quoted();
    expect(':');
    if (key == "descr") {
      if (peek() == '[') throw InputError{file_, "its elements are records"};
      header.descr = quoted();
    } else if (key == "fortran_order") {
      header.fortran_order = boolean();
    } else if (key == "shape") {
      header.shape = tuple();
    } else {
      malformed("unknown entry '" + shortened(key) + "'");
    }
  }

  /// The next character that is not white space; 0 at the end.
  char peek() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0) rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool accept(char wanted) {
    if (peek() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) malformed(std::string{"expected '"} + wanted + "'");
  }
  std::string_view quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') malformed("expected a quoted text");
    rest_.remove_prefix(1);
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) malformed("a quoted text does not end");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool boolean() {
    peek();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    malformed("expected True or False");
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> values;
    expect('(');
    while (!accept(')')) {
      values.push_back(number());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }
  std::uint64_t number() {
    peek();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error == std::errc::result_out_of_range) throw InputError{file_, "a dimension exceeds 64 bits"};
    if (error != std::errc{}) malformed("expected a length");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  [[noreturn]] void malformed(const std::string& what) const {
    throw InputError{file_, "malformed .npy header: " + what};
  }

  const std::string& file_;
  std::string_view rest_;
};

/// Cuts the header's text off the front of the content; what stays is the data.
std::string_view take_header(const std::string& file, std::string_view& content) {
  const auto truncated = [&] { return InputError{file, "the .npy file ends inside its header: it is truncated"}; };
  content.remove_prefix(magic.size());
  if (content.size() < 2) throw truncated();
  const auto major = static_cast<unsigned char>(content[0]);
  const auto minor = static_cast<unsigned char>(content[1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw InputError{file, "format version " + std::to_string(major) + "." + std::to_string(minor) + " is not known",
                     "save it as version 1.0, 2.0 or 3.0"};
  }
  content.remove_prefix(2);
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (content.size() < length_bytes) throw truncated();
  std::uint32_t length = 0;
  std::memcpy(&length, content.data(), length_bytes);
  content.remove_prefix(length_bytes);
  if (content.size() < length) throw truncated();
  const std::string_view header = content.substr(0, length);
  content.remove_prefix(length);
  return header;
}

void check_kind(const std::string& file, const Header& header) {
  if (*header.descr != "<f4") throw InputError{file, "its elements are '" + shortened(*header.descr) + "', not '<f4'"};
  if (*header.fortran_order) throw InputError{file, "its array is in Fortran order"};
  if (header.shape->size() != 2) {
    throw InputError{file, "its array has " + std::to_string(header.shape->size()) + " dimensions, not 2"};
  }
}

}  // namespace

bool looks_like_npy(std::span<const std::byte> content) noexcept {
  return content.size() >= magic.size() && std::memcmp(content.data(), magic.data(), magic.size()) == 0;
}

Grid read_npy(const std::string& file, std::span<const std::byte> content) {
  std::string_view data{reinterpret_cast<const char*>(content.data()), content.size()};
  const Header header = HeaderParser{file, take_header(file, data)}.parse();
  check_kind(file, header);
  const std::uint64_t height = header.shape->front();
  const std::uint64_t width = header.shape->back();
  check_shape(file, width, height);
  const std::size_t bytes = width * height * sizeof(float);
  if (data.size() < bytes) {
    throw InputError{file, "its array needs " + std::to_string(bytes) + " bytes and " + std::to_string(data.size()) +
                               " are there: it is truncated"};
  }
  Grid grid{width, height, std::vector<float>(width * height)};
  std::memcpy(grid.cells.data(), data.data(), bytes);
  return grid;
}

}  // namespace tailrace::tool
