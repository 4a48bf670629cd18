// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "bench/bench.hpp"
#include "demo.hpp"
#include "exit_status.hpp"
#include "info.hpp"
#include "input_error.hpp"
#include "options.hpp"

#include <exception>
#include <iostream>
#include <new>

namespace tailrace::tool {
namespace {

ExitStatus run(const Options& options) {
  try {
    switch (options.command) {
      case Command::info: return print_info(options.info);
      case Command::bench: return run_bench(options.bench);
      case Command::demo: return run_demo(options.demo);
      case Command::none: break;
    }
    return ExitStatus::success;
  } catch (const InputError& error) {
    std::cerr << error.what() << '\n';
    return ExitStatus::bad_input;
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return error.errc() == Errc::no_device ? ExitStatus::no_device : ExitStatus::failure;
  } catch (const std::bad_alloc&) {
    std::cerr << "tailrace: out of memory. Fix: free some, or for `demo` give a smaller --size or fewer --steps.\n";
    return ExitStatus::failure;
  } catch (const std::exception& error) {
    std::cerr << "tailrace: " << error.what() << ". Fix: none known; please report this.\n";
    return ExitStatus::failure;
  }
}

}  // namespace
}  // namespace tailrace::tool

int main(int argc, char** argv) {
  const tailrace::tool::Options options = tailrace::tool::parse_options(argc, argv);
  if (options.command == tailrace::tool::Command::none) return options.exit_code;
  return static_cast<int>(tailrace::tool::run(options));
}
