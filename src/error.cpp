// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/error.hpp>

#include <utility>

namespace tailrace::inline TAILRACE_ABI {

namespace {

class Category final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "tailrace"; }
  [[nodiscard]] std::string message(int value) const override {
    switch (static_cast<Errc>(value)) {
      case Errc::invalid_argument: return "invalid argument";
      case Errc::null_source: return "null source with a non-zero size";
      case Errc::region_overflow: return "region does not fit in the address space";
      case Errc::exceeds_slot: return "region is larger than a slot";
      case Errc::null_stream: return "null stream handle";
      case Errc::wrong_device: return "stream or source of another device";
      case Errc::wrong_memory: return "wrong kind of memory";
      case Errc::stream_capturing: return "stream is being captured";
      case Errc::buffer_too_small: return "destination is too small";
      case Errc::size_mismatch: return "length is not a multiple of the element size";
      case Errc::slot_pending: return "still in flight";
      case Errc::slot_ready: return "uncollected completed readback";
      case Errc::slot_error: return "failed readback not collected";
      case Errc::slot_reading: return "being read";
      case Errc::slot_discarded: return "discarded, still in flight";
      case Errc::slot_quarantined: return "quarantined";
      case Errc::slot_unarmed: return "recorded and not armed";
      case Errc::slot_promised: return "promised to an earlier waiter";
      case Errc::stale_ticket: return "stale ticket";
      case Errc::not_armed: return "ticket is not armed";
      case Errc::already_armed: return "ticket is armed already";
      case Errc::copy_failed: return "copy failed";
      case Errc::timed_out: return "timed out";
      case Errc::closed: return "closed";
      case Errc::forked: return "used in a forked child";
      case Errc::exiting: return "used after process exit had begun";
      case Errc::no_device: return "no such device";
      case Errc::device_lost: return "device context lost";
      case Errc::driver_error: return "driver call failed";
      case Errc::out_of_pinned_memory: return "out of pinned memory";
      case Errc::budget_exceeded: return "budget exceeded";
      case Errc::self_test_failed: return "the self-test read a wrong byte";
      case Errc::tag_in_flight: return "tag in flight";
      case Errc::unknown_tag: return "unknown tag";
      case Errc::own_tag: return "task waits for its own tag";
      case Errc::job_dropped: return "job dropped";
      case Errc::unsupported: return "unsupported";
    }
    return "unknown error";
  }
};

// "submit: ring 'residual', slot 3, sequence 41: "
std::string location(const ErrorDetails& details) {
  std::string text;
  const auto add = [&text](std::string_view separator, const std::string& part) {
    if (!text.empty()) text += separator;
    text += part;
  };
  if (!details.operation.empty()) add("", details.operation);
  if (!details.ring.empty()) add(": ", "ring '" + details.ring + "'");
  if (details.slot) add(", ", "slot " + std::to_string(*details.slot));
  if (details.sequence) add(", ", "sequence " + std::to_string(*details.sequence));
  return text.empty() ? text : text + ": ";
}

std::string native_error(const ErrorDetails& details) {
  if (details.native_code == 0) return {};
  return " (" + details.native_name + ", code " + std::to_string(details.native_code) + ")";
}

/// Names and texts that come from outside must neither end the message early, before its "Fix: ", nor do anything to a
/// terminal.
std::string printable(const std::string& text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  shown.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) {
      shown += c;
    } else {
      shown += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    }
  }
  return shown;
}

}  // namespace

const std::error_category& error_category() noexcept {
  // Never destroyed: error codes may be compared during process exit.
  static const auto* const category = new Category;
  return *category;
}

std::error_code make_error_code(Errc code) noexcept { return {static_cast<int>(code), error_category()}; }

struct Error::State {
  std::string what;
  std::string fix;
  ErrorDetails details;
  std::optional<std::uint64_t> good_bytes;
  std::string text;

  State(std::string what_, std::string fix_, ErrorDetails details_, std::optional<std::uint64_t> good)
      : what{std::move(what_)}, fix{std::move(fix_)}, details{std::move(details_)}, good_bytes{good} {
    text = "tailrace: " + location(details) + what + native_error(details) + ". ";
    if (good_bytes) text += std::to_string(*good_bytes) + " leading bytes of the destination are good. ";
    text = printable(text + "Fix: " + fix + ".");
  }
};

Error::Error(Errc code, std::shared_ptr<const State> state)
    : std::system_error{make_error_code(code)}, state_{std::move(state)} {}

Error::Error(Errc code, const std::string& what, const std::string& fix, ErrorDetails details)
    : Error{code, std::make_shared<const State>(what, fix, std::move(details), std::nullopt)} {}

Error::~Error() = default;

const char* Error::what() const noexcept { return state_->text.c_str(); }

const ErrorDetails& Error::details() const noexcept { return state_->details; }

std::optional<std::uint64_t> Error::good_bytes() const noexcept { return state_->good_bytes; }

Error Error::with_good_bytes(std::uint64_t bytes) const {
  return {errc(), std::make_shared<const State>(state_->what, state_->fix, state_->details, bytes)};
}

}  // namespace tailrace::inline TAILRACE_ABI
