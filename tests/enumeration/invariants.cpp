// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "tests/enumeration/invariants.hpp"

#include "tests/enumeration/stage.hpp"

#include <tailrace/host_device.hpp>

#include <algorithm>

namespace enumeration {

using tailrace::DriverCall;
using tailrace::Errc;
using tailrace::LogLevel;
namespace control = tailrace::control;
namespace host = tailrace::host;

namespace {

/// What a failing driver call leads to, at once or in what comes after.
bool explained_by_a_fault(Errc code) noexcept {
  switch (code) {
    case Errc::no_device:  // how many there are could not be asked
    case Errc::driver_error:
    case Errc::device_lost:
    case Errc::copy_failed:
    case Errc::out_of_pinned_memory:
    case Errc::slot_quarantined: return true;
    default: return false;
  }
}

std::size_t failed(std::initializer_list<DriverCall> kinds) {
  const std::vector<DriverCall> all = control::failed_calls();
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [&](DriverCall call) { return std::ranges::find(kinds, call) != kinds.end(); }));
}

bool says(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

tailrace::LogHandler Told::handler() const {
  return [lines = lines_](LogLevel level, std::string_view text) {
    const std::lock_guard lock{lines->mutex};
    lines->entries.emplace_back(level, text);
  };
}

std::vector<std::string> Told::of(LogLevel level) const {
  const std::lock_guard lock{lines_->mutex};
  std::vector<std::string> found;
  for (const auto& [of, text] : lines_->entries) {
    if (of == level) found.push_back(text);
  }
  return found;
}

Invariants::Invariants(std::size_t failures) : failures_{failures}, device_before_{host::current_device()} {}

void Invariants::violated(std::string what) {
  const std::lock_guard lock{mutex_};
  violations_.push_back(std::move(what));
}

void Invariants::judge(std::string_view what, const tailrace::Error& error) {
  const std::string text = std::string{what} + ": " + error.what();
  require(faulty(), text + " [and no driver call had failed]");
  require(says(error.what(), "Fix: "), text + " [does not say how to fix it]");
  require(explained_by_a_fault(error.errc()), text + " [is not what a failing driver call leads to]");
  require(error.errc() != Errc::device_lost || lost(), text + " [and no device is lost]");
}

const Told& Invariants::told() {
  const std::lock_guard lock{mutex_};
  return *told_.emplace_back(std::make_unique<Told>());
}

bool Invariants::faulty() const { return !control::failed_calls().empty(); }
bool Invariants::over() const { return failures_ != 0 && control::failed_calls().size() == failures_; }
bool Invariants::lost() const { return stage(0).lost() || stage(1).lost(); }
std::size_t Invariants::pinned_bytes() const { return control::resources().pinned_bytes - before_.pinned_bytes; }
std::size_t Invariants::device_bytes() const { return control::resources().device_bytes - before_.device_bytes; }

std::vector<std::string> Invariants::finish() {
  control::settle_streams();
  check_thread();
  check_logs();
  check_left();
  const std::lock_guard lock{mutex_};
  return std::exchange(violations_, {});
}

void Invariants::check_thread() {
  require(host::get_last_error() == 0, "a last error was left behind");
  // Only the call that restores it can fail to.
  require(host::current_device() == device_before_ || failed({DriverCall::current_device}) != 0,
          "another device is current than before");
}

void Invariants::check_logs() {
  for (const auto& told : told_) {
    const std::vector<std::string> errors = told->of(LogLevel::error);
    require(errors.size() <= 1, "a lost device was told of more than once");
    require(errors.empty() || lost(), "a lost device was told of, and none is");
    for (const LogLevel level : {LogLevel::error, LogLevel::warning}) {
      for (const std::string& text : told->of(level))
        require(says(text, "Fix: "), "a message does not say how to fix it: " + text);
    }
  }
}

void Invariants::check_left() {
  if (lost()) return;  // gives nothing back
  const bool kept = std::ranges::any_of(told_, [](const auto& told) {
    return std::ranges::any_of(told->of(LogLevel::warning), [](const auto& text) { return says(text, "kept"); });
  });
  const control::Resources after = control::resources();
  const auto check = [&](const char* what, std::size_t before, std::size_t now, std::size_t forgiven) {
    if (now == before || kept || (now > before && forgiven != 0)) return;
    violated("of " + std::string{what} + " " + std::to_string(before) + " became " + std::to_string(now));
  };
  check("streams", before_.streams, after.streams, failed({DriverCall::stream_destroy}));
  check("events", before_.events, after.events, failed({DriverCall::event_destroy}));
  check("bytes of pinned memory", before_.pinned_bytes, after.pinned_bytes,
        failed({DriverCall::pinned_free, DriverCall::pinned_unregister}));
  // A snapshot of which nothing tells any more when its copy is over is never used again, nor freed.
  check("bytes of device memory", before_.device_bytes, after.device_bytes,
        failed({DriverCall::device_free, DriverCall::event_record}));
}

}  // namespace enumeration
