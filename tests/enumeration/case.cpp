// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
// The name of a case, which is what replays it.

#include "tests/enumeration/enumeration.hpp"

#include <charconv>

namespace enumeration {

using tailrace::control::CallsOf;
using tailrace::control::Failure;

namespace {

std::string_view name_of(Failure how) noexcept { return how == Failure::once ? "once" : "sticky"; }

/// Takes what is before the next colon.
std::string_view next_part(std::string_view& text) noexcept {
  const std::size_t colon = text.find(':');
  const std::string_view part = text.substr(0, colon);
  text = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  return part;
}

bool parse(std::string_view part, std::uint64_t& number) noexcept {
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
  return error == std::errc{} && end == part.data() + part.size() && number != 0;
}

bool parse(std::string_view part, Failure& how) noexcept {
  how = part == "sticky" ? Failure::sticky : Failure::once;
  return part == name_of(how);
}

bool parse(std::string_view part, CallsOf& whose) noexcept {
  whose = part == "others" ? CallsOf::other_threads : CallsOf::this_thread;
  return part == "others" || part == "own";
}

}  // namespace

std::string to_text(const Case& one) {
  const Fault& fault = one.fault;
  std::string text = one.scenario + (fault.whose == CallsOf::this_thread ? ":own:" : ":others:");
  text += std::to_string(fault.k) + ":" + std::string{name_of(fault.how)};
  if (fault.second)
    text += ":" + std::to_string(fault.second->distance) + ":" + std::string{name_of(fault.second->how)};
  return text;
}

std::optional<Case> parse_case(std::string_view text) {
  Case one{.scenario = std::string{next_part(text)}, .fault = {}};
  Fault& fault = one.fault;
  if (one.scenario.empty() || !parse(next_part(text), fault.whose) || !parse(next_part(text), fault.k) ||
      !parse(next_part(text), fault.how))
    return std::nullopt;
  if (text.empty()) return one;
  Fault::Second& second = fault.second.emplace();
  if (!parse(next_part(text), second.distance) || !parse(next_part(text), second.how) || !text.empty())
    return std::nullopt;
  return one;
}

}  // namespace enumeration
