// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include <tailrace/tailrace.hpp>

#include <cstdio>
#include <cstring>

// Uses a part of the library that needs no device, so that the program can run wherever it was linked, and reads the
// error that a missing device gives. With an argument, the backend must be that one.
int main(int argc, char** argv) {
  if (argc > 1 && tailrace::backend_name() != argv[1]) {
    std::printf("the backend is %s, and not %s\n", tailrace::backend_name().data(), argv[1]);
    return 1;
  }
  int value = 0;
  tailrace::CopyStreams streams;
  streams.async_load("answer", [&value] { value = 42; });
  streams.async_wait("answer");

  const int devices = tailrace::Device::count();
  try {
    (void)tailrace::Device{devices};
    std::puts("a device that does not exist was accepted");
    return 1;
  } catch (const tailrace::Error& error) {
    if (std::strstr(error.what(), "Fix: ") == nullptr) return 1;
  }
  std::printf("%s %s, %d devices, %d\n", tailrace::version().data(), tailrace::backend_name().data(), devices, value);
  return value == 42 ? 0 : 1;
}
