// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "src/process.hpp"

#include <tailrace/error.hpp>

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

extern "C" {
// glibc's registration of a thread's destructors; weak, since other C libraries need not have it. Only registration
// by hand can come after the construction of the object that it must precede at exit.
int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* dso) __attribute__((weak));  // NOLINT
extern void* __dso_handle;                                                                             // NOLINT
}

namespace tailrace::inline TAILRACE_ABI::detail {

namespace {

std::atomic<unsigned> at_work{0};  // threads of the library's own that are in driver calls

void at_exit() {
  ProcessGuard::begin_exit();
  // What is under way is short, but for an allocation; and a driver that hangs must not keep the process alive.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{5};
  while (at_work.load() != 0 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
}
void at_thread_exit(void* /*object*/) { at_exit(); }

bool on_main_thread() noexcept { return ::gettid() == ::getpid(); }

}  // namespace

void ProcessGuard::in_forked_child() noexcept {
  generation.fetch_add(1, std::memory_order_relaxed);
  at_work.store(0);  // those threads are not in the child
}

ProcessGuard::ProcessGuard() noexcept {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { in_forked_child(); });
  static_cast<void>(registered);
  generation_ = generation.load(std::memory_order_relaxed);
}

void ProcessGuard::begin_exit() noexcept { exit_begun.store(true); }

// Both are sequentially consistent: either the exit handler sees this thread at work, or this thread sees the exit.
DriverWork::DriverWork() noexcept {
  at_work.fetch_add(1);
  allowed_ = !ProcessGuard::exit_begun.load();
  if (!allowed_) at_work.fetch_sub(1);
}

DriverWork::~DriverWork() {
  if (allowed_) at_work.fetch_sub(1);
}

void ProcessGuard::throw_refusal(const char* operation) const { throw refusal(operation); }

Error ProcessGuard::refusal(const char* operation) const {
  if (forked()) {
    return {Errc::forked,
            "the object was made before fork() and is used in the child",
            "make it in the process that uses it, or call exec in the child",
            {.operation = operation}};
  }
  return {Errc::exiting,
          "process exit has begun",
          "finish the work before main returns or exit is called",
          {.operation = operation}};
}

void ProcessGuard::watch_exit() noexcept {
  // Each registration costs some bytes until the process ends. Rings of static and thread-local lifetime are few and
  // used early; those after the limit are covered by the handlers that are there, unless they are constructed later.
  constexpr int limit = 64;
  static std::atomic<int> registrations{0};
  if (registrations.load(std::memory_order_relaxed) >= limit) return;
  registrations.fetch_add(1, std::memory_order_relaxed);
  static_cast<void>(std::atexit(at_exit));
  // The main thread's thread-local objects are destroyed before any handler of atexit runs.
  if (__cxa_thread_atexit_impl != nullptr && on_main_thread()) {
    static_cast<void>(__cxa_thread_atexit_impl(at_thread_exit, nullptr, static_cast<void*>(&__dso_handle)));
  }
}

}  // namespace tailrace::inline TAILRACE_ABI::detail
