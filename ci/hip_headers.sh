#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Compiles what includes HIP's headers against later versions of them than Debian has, without linking: host code with
# g++ and clang++, kernels with clang++ for devices that Debian's HIP does not know. Every warning is a failure. The
# headers come from PyPI: Triton's packages carry AMD's as they are, and those for Windows are the smallest.
#   ci/hip_headers.sh [--build-dir FOLDER]; that of a configured HIP backend for AMD
set -euo pipefail
# shellcheck source=ci/common.sh
source "$(dirname "$0")/common.sh"

build=$root/build/hip-debug
while [[ $# -gt 0 ]]; do
  case $1 in
    --build-dir) build=${2:?--build-dir needs a value}; shift 2 ;;
    *) die "unknown argument '$1'. Fix: --build-dir FOLDER" ;;
  esac
done
grep -qs '^#define TAILRACE_BACKEND_HIP' "$build/include/tailrace/config.hpp" ||
  die "$build is not configured for HIP. Fix: cmake --preset hip-debug, or another --build-dir"
clang=$(command -v clang++-19 || command -v clang++) || die "no clang++. Fix: apt-get install clang-19"

# fetch <version of the package>: prints the folder of its HIP headers.
fetch() {
  local folder=$root/build/hip-headers/$1
  if [[ ! -e $folder/triton/backends/amd/include/hip/hip_version.h ]]; then
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --platform win_amd64 \
      --python-version 312 --dest "$folder" "triton-windows==$1" >&2
    python3 - "$folder" <<'PYTHON'
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
for wheel in folder.glob("*.whl"):
    archive = zipfile.ZipFile(wheel)
    archive.extractall(folder, [name for name in archive.namelist() if name.startswith("triton/backends/amd/include/")])
    wheel.unlink()
PYTHON
  fi
  echo "$folder/triton/backends/amd/include"
}

flags=(-std=c++20 -Werror -Wall -Wextra -D__HIP_PLATFORM_AMD__=1
  -I"$root" -I"$root/include" -I"$root/backends/hip/include" -I"$build/include")
host_flags=(-fsyntax-only -Wpedantic -Wshadow -Wconversion)
host_sources=(backends/hip/adapter.cpp tests/support/gpu_device.cpp)
kernel_flags=(-x hip --cuda-device-only -nogpulib -S -o /dev/null)
kernel_sources=(backends/gpu/heat.cu backends/gpu/plain_reader.cu)

# commands <folder of HIP headers> [<device>...]: a compiler's command in each line.
commands() {
  local headers=(-isystem "$1") source device
  shift
  for source in "${host_sources[@]}"; do
    printf '%q ' g++ -Wno-restrict "${flags[@]}" "${host_flags[@]}" "${headers[@]}" "$root/$source"; echo
    printf '%q ' "$clang" "${flags[@]}" "${host_flags[@]}" "${headers[@]}" "$root/$source"; echo
  done
  for source in "${kernel_sources[@]}"; do
    for device in "$@"; do
      printf '%q ' "$clang" "${flags[@]}" "${kernel_flags[@]}" "--offload-arch=$device" "${headers[@]}" "$root/$source"; echo
    done
  done
}

# check <version of the package> [<device>...]
check() {
  local headers hip
  headers=$(fetch "$1")
  shift
  hip=$(sed -n 's/^#define HIP_VERSION_\(MAJOR\|MINOR\) //p' "$headers/hip/hip_version.h" | paste -sd.)
  commands "$headers" "$@" | xargs -P "$jobs" -d '\n' -I COMMAND bash -c COMMAND ||
    die "does not compile against HIP $hip. Fix: tell the versions apart in backends/hip/platform_amd.hpp"
  echo "HIP $hip: host code with g++ and $(basename "$clang")${*:+, kernels for $*}"
}

check 3.3.1.post19
check 3.8.0.post29 gfx942 gfx1100 gfx1201
