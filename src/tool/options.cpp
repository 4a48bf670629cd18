// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "options.hpp"

#include "exit_status.hpp"
#include "grid.hpp"

#include <tailrace/devices.hpp>

#include <CLI/CLI.hpp>

#include <charconv>
#include <string>
#include <system_error>

namespace tailrace::tool {
namespace {

constexpr unsigned most_seconds = 3600;

/// Bounds what is kept of a run: 8 bytes for each step.
constexpr std::uint64_t most_steps = 100'000'000;

constexpr const char* exit_statuses =
    "Exit status: 0 success; 1 wrong bytes, runs that differ, or a failed run; 2 wrong arguments or unusable files; 3 "
    "no "
    "device.";

std::string check_size(const std::string& text) {
  return parse_size(text) ? ""
                          : "\"" + text + "\" is not a size. Fix: give WIDTHxHEIGHT, e.g. 4096x4096, at least 3x3.";
}

/// The whole of the text as a number; nullopt also if it is out of the type's range.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string check_seconds(const std::string& text) {
  const auto seconds = parse_number<unsigned>(text);
  return seconds && *seconds >= 1 && *seconds <= most_seconds
             ? ""
             : "\"" + text + "\" is not a time to measure. Fix: give whole seconds, from 1 to " +
                   std::to_string(most_seconds) + ".";
}

std::string check_ordinal(const std::string& text) {
  const auto ordinal = parse_number<int>(text);
  return ordinal && *ordinal >= 0
             ? ""
             : "\"" + text + "\" is not a device. Fix: give an ordinal that `tailrace info` shows.";
}

void add_info(CLI::App& app, InfoOptions& info) {
  CLI::App* command = app.add_subcommand("info", "Prints versions, devices and their links, and memory limits.");
  command->footer(exit_statuses);
  command->add_flag("--self-test", info.self_test,
                    "Also read patterns back from every device on each path of the library, and compare every byte");
}

void add_bench(CLI::App& app, BenchOptions& bench) {
  CLI::App* command =
      app.add_subcommand("bench",
                         "Measures what readbacks reach on this node, with the vendor's plain copies and with this "
                         "library in turn, checks "
                         "every byte, compares with the node's own limits, and warns of what makes it slow.");
  command->footer(exit_statuses);
  command
      ->add_option(
          "--seconds", bench.seconds,
          "Time for everything together, of which every measurement has its part; three turns of each are made "
          "whatever they take")
      ->type_name("N")
      ->capture_default_str()
      ->check(check_seconds);
  command
      ->add_option("--json", bench.json,
                   "Write the report there as JSON too; - writes it to standard output, in place of the table")
      ->type_name("FILE");
  command->add_option("--device", bench.device, "Ordinal of the device")
      ->type_name("N")
      ->capture_default_str()
      ->check(check_ordinal);
}

void add_demo(CLI::App& app, DemoOptions& demo, std::string& size) {
  CLI::App* command = app.add_subcommand(
      "demo",
      "Solves the heat equation on the device twice, once reading results with blocking copies and once overlapped, "
      "checks that both read the same bytes, and compares their speed.");
  command->footer(exit_statuses);
  command
      ->add_option("--input", demo.input,
                   "Initial temperatures: an 8- or 16-bit grey PNG file, or a .npy file of float32 in C order")
      ->required()
      ->type_name("FILE");
  command->add_option("--size", size, "Resample the input to this size; default: as it is")
      ->type_name("WIDTHxHEIGHT")
      ->check(check_size);
  command->add_option("--steps", demo.steps, "Steps of each run; the residual of every one is read")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{2}, most_steps));
  command->add_option("--every", demo.every, "The whole field is read and written as a frame at every K-th step")
      ->type_name("K")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, most_steps));
  command->add_option("--frames", demo.frames, "Keep the frames in DIR/blocking and DIR/overlapped")->type_name("DIR");
  command->add_option("--device", demo.device, "Ordinal of the device")->type_name("N")->capture_default_str();
  command->add_flag("--verbose", demo.verbose, "Say more about what is done");
}

}  // namespace

std::optional<Size> parse_size(std::string_view text) noexcept {
  Size size;
  const char* const end = text.data() + text.size();
  const auto [middle, width_error] = std::from_chars(text.data(), end, size.width);
  if (width_error != std::errc{} || middle == end || *middle != 'x') return std::nullopt;
  const auto [rest, height_error] = std::from_chars(middle + 1, end, size.height);
  if (height_error != std::errc{} || rest != end) return std::nullopt;
  if (!usable_shape(size.width, size.height)) return std::nullopt;
  return size;
}

Options parse_options(int argc, const char* const* argv) {
  Options options;
  std::string size;
  CLI::App app{"Carries results off a GPU without stalling it.", "tailrace"};
  app.set_version_flag("--version", std::string{version()});
  app.require_subcommand(1);
  app.footer(exit_statuses);
  add_info(app, options.info);
  add_demo(app, options.demo, size);
  add_bench(app, options.bench);
  const CLI::App* info = app.get_subcommand("info");
  const CLI::App* bench = app.get_subcommand("bench");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 has a code of its own for every kind of error; help and version are 0.
    options.exit_code = app.exit(error) == 0 ? 0 : static_cast<int>(ExitStatus::bad_input);
    return options;
  }
  if (!size.empty()) options.demo.size = parse_size(size);
  options.command = info->parsed() ? Command::info : bench->parsed() ? Command::bench : Command::demo;
  return options;
}

}  // namespace tailrace::tool
