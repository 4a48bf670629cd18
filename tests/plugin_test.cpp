// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors

// Loads a plugin that uses copy streams, uses it and unloads it, over and over. A host program without TBB of its own,
// so that the plugin brings and takes away everything. Usage: plugin_test <path of the plugin>

#include <dlfcn.h>

#include <cstdio>

namespace {

bool load_use_unload(const char* path) {
  void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return false;
  }
  const auto run = reinterpret_cast<int (*)()>(dlsym(plugin, "plugin_run"));
  const bool good = run != nullptr && run() == 0;
  return dlclose(plugin) == 0 && good;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int rounds = 200;
  if (argc != 2) return 2;
  for (int round = 0; round < rounds; ++round) {
    if (!load_use_unload(argv[1])) {
      std::fprintf(stderr, "failed in round %d\n", round);
      return 1;
    }
  }
  return 0;
}
