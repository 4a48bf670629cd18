// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Scenarios that end their process, each run in a process of its own: the program starts itself again for each.

namespace test {

struct Scenario {
  const char* name;
  int (*run)();    ///< its return value is main's
  int signal = 0;  ///< that is to end it; 0: it ends with intended_status
};

/// The exit status of a scenario that ends as intended.
inline constexpr int intended_status = 7;

/// An object that is never destroyed, and that leak checkers find.
template <class T, class... Arguments>
T& never_destroyed(Arguments&&... arguments) {
  static auto& all = *new std::vector<std::unique_ptr<T>>;
  return *all.emplace_back(std::make_unique<T>(std::forward<Arguments>(arguments)...));
}

/// Starts this program again for one scenario. Everything that it writes to standard error is a failure.
inline bool ends_as_intended(const Scenario& scenario, std::size_t index) {
  int error_pipe[2];
  if (pipe(error_pipe) != 0) return false;
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    dup2(error_pipe[1], STDERR_FILENO);
    close(error_pipe[0]);
    close(error_pipe[1]);
    alarm(60);  // a scenario that hangs ends by the signal
    const rlimit no_core{};
    setrlimit(RLIMIT_CORE, &no_core);
    execl("/proc/self/exe", scenario.name, std::to_string(index).c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(error_pipe[1]);
  std::string said;
  char text[512];
  for (ssize_t count = 0; (count = read(error_pipe[0], text, sizeof text)) > 0;) {
    said.append(text, static_cast<std::size_t>(count));
  }
  close(error_pipe[0]);
  int status = 0;
  waitpid(child, &status, 0);
  const bool ended = scenario.signal != 0 ? WIFSIGNALED(status) && WTERMSIG(status) == scenario.signal
                                          : WIFEXITED(status) && WEXITSTATUS(status) == intended_status;
  const bool good = ended && said.empty();
  std::printf("%s: %s (status %d)\n%s", scenario.name, good ? "good" : "BAD", status, said.c_str());
  return good;
}

/// To be main's last statement.
inline int run_scenarios(int argc, char** argv, std::span<const Scenario> scenarios) {
  if (argc == 2) return scenarios[std::stoul(argv[1])].run();
  bool good = true;
  for (std::size_t index = 0; index < scenarios.size(); ++index) good &= ends_as_intended(scenarios[index], index);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace test
