// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// The settings that come from outside as text: environment variables, and what the kernel says of control groups.

#include <tailrace/ring_set.hpp>

#include "src/cgroup.hpp"

#include "fuzz.hpp"

#include <optional>
#include <string>

namespace {

void slots(std::string_view text) {
  const tailrace::ParsedSlots parsed = tailrace::parse_ring_slots(text);
  fuzz::require(parsed.slots >= 2 && parsed.slots <= 256, "2...256 slots");
  const bool warned = !parsed.warning.empty();
  fuzz::require(!warned || parsed.warning.find("Fix: ") != std::string::npos, "a warning says how to fix it");
  const bool plain = warned || text == "1" || text.find_first_not_of("0123456789") == std::string_view::npos;
  fuzz::require(plain, "no warning only for a number");
}

void budget(std::string_view text) {
  fuzz::accepted([&] {
    const std::size_t bytes = tailrace::parse_pinned_budget(text);
    fuzz::require(bytes != 0, "a budget is not nothing");
    fuzz::require(text.front() >= '0' && text.front() <= '9', "a budget is a number");
    fuzz::require(tailrace::parse_pinned_budget(std::to_string(bytes)) == bytes, "its bytes mean the same");
  });
}

void capacity(std::size_t bytes) {
  fuzz::accepted([&] {
    const std::size_t capacity = tailrace::capacity_class(bytes);
    fuzz::require(capacity >= bytes && capacity % 4096 == 0 && capacity != 0, "room, in whole pages");
    fuzz::require(bytes == 0 || capacity - bytes < 4096, "waste below a page");
    fuzz::require(tailrace::capacity_class(capacity) == capacity, "a class is of its own class");
  });
}

/// The first line is the membership, up to a zero byte; every file of the kernel's has what follows.
void control_groups(std::string_view text) {
  const std::size_t end = std::min(text.find('\0'), text.size());
  const std::string file{text.substr(std::min(end + 1, text.size()))};
  const tailrace::detail::ControlGroups groups{std::string{text.substr(0, end)},
                                               [&](const std::string&) { return std::optional{file}; }};
  fuzz::require(groups.cpus().value_or(1) >= 1, "at least one CPU");
  const auto memory = groups.memory();
  const auto left = groups.memory_left();
  fuzz::require(!left || (memory && *left <= *memory), "not more is left than the limit");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input{data, size};
  const auto which = input.take<std::uint8_t>();
  switch (which % 4) {
    case 0: slots(input.text()); break;
    case 1: budget(input.text()); break;
    case 2: capacity(input.take<std::size_t>()); break;
    default: control_groups(input.text()); break;
  }
  return 0;
}
