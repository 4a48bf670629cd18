// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// Ends processes in every way while a job runs and others are queued: each must end with the status that it asked for,
// without a word on standard error. A program of its own, since each scenario is the end of a process.

#include <tailrace/copy_streams.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <string>

namespace {

using tailrace::CopyStreams;

constexpr int intended = 7;

/// Never destroyed: a job waits on it while the process ends.
std::atomic<bool>& never() {
  static auto& flag = *new std::atomic<bool>{false};
  return flag;
}

/// One job that runs and never ends, and more that are queued behind it and behind the workers.
void start_work(CopyStreams& streams) {
  static auto& started = *new std::atomic<bool>{false};
  streams.async_load("running", [] {
    started = true;
    started.notify_all();
    never().wait(false);
  });
  started.wait(false);
  for (int job = 0; job < 64; ++job) {
    streams.async_load(std::to_string(job), [] { never().wait(false); });
  }
}

int static_streams_and_return() {
  static CopyStreams streams;
  start_work(streams);
  return intended;
}

int static_streams_and_exit() {
  static CopyStreams streams;
  start_work(streams);
  std::exit(intended);
}

int leaked_streams_and_return() {
  static auto& streams = *new CopyStreams;
  start_work(streams);
  return intended;
}

int thread_local_streams_and_return() {
  static thread_local CopyStreams streams;
  start_work(streams);
  return intended;
}

int idle_static_streams_and_return() {
  static CopyStreams streams;
  streams.async_load("tag", [] {});
  streams.async_wait("tag");
  return intended;
}

int unused_static_streams_and_return() {
  static const CopyStreams streams;
  return intended;
}

int static_streams_and_exit_inside_a_job() {
  // On the arena's own thread: oneTBB's teardown may crash when it runs on one of oneTBB's workers.
  static CopyStreams streams{{.arena = tailrace::CopyArena{tailrace::CopyArenaOptions{.concurrency = 1}}}};
  streams.async_load("ends the process", [] { std::exit(intended); });
  never().wait(false);
  return 0;
}

int uncaught_exception_in_main() {
  // The handler of the language writes a line of its own.
  std::set_terminate([] { std::_Exit(intended); });
  static CopyStreams streams;
  start_work(streams);
  throw intended;
}

struct Scenario {
  const char* name;
  int (*run)();
};

constexpr Scenario scenarios[] = {
    {"static streams, return", static_streams_and_return},
    {"static streams, exit", static_streams_and_exit},
    {"leaked streams, return", leaked_streams_and_return},
    {"thread-local streams, return", thread_local_streams_and_return},
    {"idle static streams, return", idle_static_streams_and_return},
    {"unused static streams, return", unused_static_streams_and_return},
    {"static streams, exit inside a job", static_streams_and_exit_inside_a_job},
    {"uncaught exception", uncaught_exception_in_main},
};

/// Runs a scenario in a process of its own. Everything that it writes to standard error is a failure.
bool ends_as_intended(const char* program, std::size_t index) {
  int error_pipe[2];
  if (pipe(error_pipe) != 0) return false;
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    dup2(error_pipe[1], STDERR_FILENO);
    close(error_pipe[0]);
    close(error_pipe[1]);
    const std::string argument = std::to_string(index);
    alarm(20);  // a scenario that hangs ends by the signal
    execl(program, program, argument.c_str(), static_cast<char*>(nullptr));
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
  const bool good = WIFEXITED(status) && WEXITSTATUS(status) == intended && said.empty();
  std::printf("%s: %s (status %d)\n%s", scenarios[index].name, good ? "good" : "BAD", status, said.c_str());
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) return scenarios[std::stoul(argv[1])].run();
  bool good = true;
  for (std::size_t index = 0; index < std::size(scenarios); ++index) good &= ends_as_intended("/proc/self/exe", index);
  return good ? 0 : 1;
}
