// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// The settings that the library takes from the environment, and their defaults.

#include <tailrace/error.hpp>
#include <tailrace/ring_set.hpp>
#include <tailrace/self_test.hpp>

#include "src/cgroup.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

namespace tailrace::inline TAILRACE_ABI {

namespace {

constexpr unsigned min_slots = 2;
constexpr unsigned max_slots = 256;
constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::size_t physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) : 0;
}

std::string quoted(std::string_view text) { return "'" + std::string{text} + "'"; }

}  // namespace

ParsedSlots parse_ring_slots(std::optional<std::string_view> text) {
  if (!text) return {};
  std::uint64_t value = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  const std::string said = "TAILRACE_RING_SLOTS is " + quoted(*text);
  if (text->empty() || stop != end || (error != std::errc{} && error != std::errc::result_out_of_range)) {
    return {.slots = max_slots, .warning = said + ", which is no number; using 256. Fix: set it to 2...256"};
  }
  if (error == std::errc::result_out_of_range || value > max_slots) {
    return {.slots = max_slots, .warning = said + ", more than 256; using 256. Fix: set it to 2...256"};
  }
  if (value == 0) return {.slots = min_slots, .warning = said + "; using 2. Fix: set it to 2...256"};
  return {.slots = std::max(static_cast<unsigned>(value), min_slots), .warning = {}};
}

std::size_t parse_pinned_budget(std::string_view text) {
  const auto refuse = [text](const char* why) -> Error {
    return {Errc::invalid_argument,
            "the pinned budget is " + quoted(text) + ", " + why,
            "set TAILRACE_PINNED_BUDGET to a positive number of bytes, or one with K, M, G or T behind it",
            {.operation = "parse_pinned_budget"}};
  };
  std::size_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) throw refuse("which does not fit");
  if (error != std::errc{}) throw refuse("which is no number");
  unsigned shift = 0;
  if (stop != end) {
    constexpr std::string_view suffixes = "KMGT";
    const std::size_t at = suffixes.find(*stop);
    if (at == std::string_view::npos || stop + 1 != end) throw refuse("which is no number");
    shift = 10 * (static_cast<unsigned>(at) + 1);
  }
  if (value == 0) throw refuse("which is nothing");
  if (value > std::numeric_limits<std::size_t>::max() >> shift) throw refuse("which does not fit");
  return value << shift;
}

bool parse_self_test(std::optional<std::string_view> text) {
  if (!text || *text == "0") return false;
  if (*text == "1") return true;
  throw Error{Errc::invalid_argument,
              "TAILRACE_SELF_TEST is " + quoted(*text) + ", which is neither 0 nor 1",
              "set it to 1 to test every device before a runtime is made for it, or to 0 not to",
              {.operation = "parse_self_test"}};
}

std::size_t default_pinned_budget() {
  const std::uint64_t physical = physical_memory();
  const std::size_t memory = std::min(physical, detail::ControlGroups{}.memory().value_or(physical));
  return std::clamp(memory / 32, 16 * mebibyte, 1024 * mebibyte);
}

std::size_t capacity_class(std::size_t bytes) {
  constexpr std::size_t step = 4096;
  if (bytes > std::numeric_limits<std::size_t>::max() - (step - 1)) {
    throw Error{Errc::region_overflow,
                std::to_string(bytes) + " bytes have no capacity class",
                "check the length; it is in bytes",
                {.operation = "capacity_class"}};
  }
  return std::max((bytes + step - 1) / step * step, step);
}

}  // namespace tailrace::inline TAILRACE_ABI
