#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Builds and runs every test on a machine with a GPU. On NVIDIA, with either backend, those that use the device then run
# again under compute-sanitizer: memcheck for all, initcheck where no stream is held, racecheck and synccheck where
# kernels use shared memory. On AMD, which has no such tool, the built device code is looked at instead. Installs nothing:
# dependencies are found by CMake (CMAKE_PREFIX_PATH, ROCM_PATH). A test that is skipped is a failure here.
#   ci/gpu.sh [--backend cuda|hip] [--build-dir FOLDER] [--arch ARCHITECTURE] [-D<CMake variable>=<value>]...
#   HIP on NVIDIA: ci/gpu.sh --backend hip -DTAILRACE_HIP_PLATFORM=nvidia --arch 90
set -euo pipefail
# shellcheck source=ci/common.sh
source "$(dirname "$0")/common.sh"

backend=$(detect_backend)
build=""
options=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --backend) backend=${2:?--backend needs a value}; shift 2 ;;
    --build-dir) build=${2:?--build-dir needs a value}; shift 2 ;;
    --arch) arch=${2:?--arch needs a value}; shift 2 ;;
    -D*) options+=("$1"); shift ;;
    *) die "unknown argument '$1'. Fix: --backend, --build-dir, --arch or -DNAME=VALUE" ;;
  esac
done
[[ $backend =~ ^(cuda|hip)$ ]] || die "no GPU that can be compiled for. Fix: --backend cuda or hip, on such a machine"
build=$(realpath -m "${build:-$root/build/$backend-gpu}")

[[ -z ${arch:-} ]] || options+=("$(architecture_option "$arch")")

generator=()
if have ninja; then generator=(-G Ninja); fi
cmake -S "$root" -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DTAILRACE_BACKEND="$backend" "${options[@]}"
vendor=nvidia
[[ $backend == cuda ]] || vendor=$(sed -n 's/^TAILRACE_HIP_PLATFORM:STRING=//p' "$build/CMakeCache.txt")
echo "== backend $backend on $vendor"
[[ $vendor == amd ]] || have compute-sanitizer || die "no compute-sanitizer. Fix: install it from the CUDA toolkit"
cmake --build "$build" --parallel "$jobs"

tool=$build/src/tool/tailrace

if [[ $vendor == amd ]]; then
  echo "== code objects"
  read -ra devices <<< "${arch//;/ }"
  "$root/ci/code_objects.sh" "$tool" "${devices[@]}"
fi

echo "== tests"
# Few at a time: they share one device, and some of them measure time.
selection=(--label-exclude bench)
# As many as are visible to a program, whatever the machine has.
information=$("$tool" info) || die "no device. Fix: see the message above"
if [[ $(grep -c '^device [0-9]' <<< "$information") -lt 2 ]]; then
  echo "one GPU: the tests that need two are left out"
  selection=(--label-exclude 'bench|two_devices')
fi
ctest --test-dir "$build" --no-tests=error --output-on-failure --parallel 4 --output-junit "$build/tests.xml" \
  "${selection[@]}"
skipped=$(sed -n 's/.*[^a-z]skipped="\([0-9]*\)".*/\1/p' "$build/tests.xml" | head -n 1)
[[ $skipped == 0 ]] || die "$skipped tests were skipped. Fix: run this where the device is usable, see the list above"

if [[ $vendor == amd ]]; then
  echo "no memcheck: compute-sanitizer is NVIDIA's, and AMD's AddressSanitizer for devices is not tried here. What the" \
    "library does on the host is tested under AddressSanitizer by: ci/test.sh --backend host --preset asan"
  exit 0
fi
logs=$build/sanitizer
mkdir -p "$logs"
# Tests of how long something takes, which says nothing under a tool that slows everything down.
export GTEST_FILTER='-*SmallPartOfACore*:*AsFastAs*:*EndsNearItsDeadline*'

# sanitize <tool> <program> [<argument>...]: quiet unless the tool, or the program, finds something.
sanitize() {
  local tool=$1 name log
  shift
  name="$tool $(basename "$1")"
  log=$logs/${name/ /-}.log
  # Failing calls that a test makes on purpose are not memory errors.
  if timeout 400 compute-sanitizer --tool "$tool" --report-api-errors no --error-exitcode 99 "$@" > "$log" 2>&1; then
    echo "good  $name"
  else
    echo "BAD   $name: $log"
    tail -n 60 "$log"
    return 1
  fi
}
export -f sanitize
export logs

demo=("$build/src/tool/tailrace" demo --input "$root/docs/examples/input/terrain.png" --size 64x64 --steps 20 --every 5)
# One line a run, the longest first. Under initcheck a launch returns when its kernel has ended, so that a test which holds
# a stream by a kernel would wait for ever: it is for those that hold none. Of all kernels only the demonstration's use
# shared memory: the two tools for that are for it alone.
{
  echo "memcheck $build/tests/ring_stress_test --gtest_brief=1"
  for tool in memcheck initcheck; do echo "$tool $build/tests/soak/soak --seconds 20 --threads 4"; done
  grep -v '/ring_stress_test$' "$build/tests/device_tests.txt" | sed 's/^/memcheck /; s/$/ --gtest_brief=1/'
  for program in self_test_test ring_snapshot_test; do echo "initcheck $build/tests/$program --gtest_brief=1"; done
  if [[ -x ${demo[0]} ]]; then
    for tool in memcheck initcheck racecheck synccheck; do echo "$tool ${demo[*]}"; done
  fi
} > "$logs/runs.txt"
echo "== compute-sanitizer, $(wc -l < "$logs/runs.txt") runs"
# Several at once: each is one busy thread and a little of the device.
# shellcheck disable=SC2016 # for the inner shell
xargs -P $((jobs / 2 > 0 ? jobs / 2 : 1)) -L 1 bash -c 'sanitize "$@"' sanitize < "$logs/runs.txt" ||
  die "compute-sanitizer found something. Fix: see the runs that are BAD above"
