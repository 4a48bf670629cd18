#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Counts the instructions that the library itself takes for a readback: those of a ring less those of the driver calls
# that it makes, on the host backend, under callgrind. Fails if they are more than 10 % above what is recorded in
# bench/results/instructions.txt. Installs nothing.
#   ci/instructions.sh [--record] [--build-dir FOLDER]
set -euo pipefail
# shellcheck source=ci/common.sh
source "$(dirname "$0")/common.sh"

build=$root/build/instructions
recorded=$root/bench/results/instructions.txt
record=""
while [[ $# -gt 0 ]]; do
  case $1 in
    --record) record=yes; shift ;;
    --build-dir) build=${2:?--build-dir needs a value}; shift 2 ;;
    *) die "unknown argument '$1'. Fix: --record or --build-dir FOLDER" ;;
  esac
done
have valgrind || die "no valgrind. Fix: apt-get install valgrind"

# A folder that is configured already must be so in what the figure depends on.
options=(CMAKE_BUILD_TYPE=Release TAILRACE_BACKEND=host BUILD_SHARED_LIBS=OFF TAILRACE_SANITIZE=)
if [[ -e $build/CMakeCache.txt ]]; then
  for option in "${options[@]}"; do
    grep -q "^${option%%=*}:[A-Z]*=${option#*=}\$" "$build/CMakeCache.txt" ||
      die "$build is not configured with $option. Fix: another --build-dir"
  done
else
  quietly cmake -S "$root" -B "$build" "${options[@]/#/-D}" -DTAILRACE_BUILD_TESTS=ON -DTAILRACE_BUILD_TOOL=OFF \
    -DTAILRACE_BUILD_BENCHMARKS=ON
fi
quietly cmake --build "$build" --target own_cost --parallel "$jobs"
compiler=$(sed -n 's/^set(CMAKE_CXX_COMPILER_ID "\(.*\)")/\1/p' "$build"/CMakeFiles/*/CMakeCXXCompiler.cmake)
version=$(sed -n 's/^set(CMAKE_CXX_COMPILER_VERSION "\([0-9]*\).*")/\1/p' "$build"/CMakeFiles/*/CMakeCXXCompiler.cmake)
platform="$compiler $version $(uname -m)"

readbacks=2000
# instructions <mode>: those inside measured(), which own_cost.cpp has for this.
instructions() {
  quietly valgrind --tool=callgrind --callgrind-out-file="$build/callgrind.$1" --toggle-collect=measured \
    "$build/bench/own_cost" "$1" "$readbacks" || return 1
  sed -n 's/^\(totals\|summary\): \([0-9]*\)$/\2/p' "$build/callgrind.$1" | head -n 1
}
ring=$(instructions ring)
calls=$(instructions calls)
[[ $ring -gt 0 && $calls -gt 0 ]] || die "callgrind counted nothing. Fix: see that own_cost still has measured()"
own=$(((ring - calls) / readbacks))
echo "$own instructions per readback ($((ring / readbacks)) with the driver calls), $platform"

if [[ -n $record ]]; then
  mkdir -p "$(dirname "$recorded")"
  printf '%s\n' "# Instructions of the library itself per readback; written by ci/instructions.sh --record." \
    "platform $platform" "instructions $own" > "$recorded"
  exit 0
fi
[[ -e $recorded ]] || die "nothing is recorded. Fix: ci/instructions.sh --record"
was_platform=$(sed -n 's/^platform //p' "$recorded")
was=$(sed -n 's/^instructions //p' "$recorded")
[[ $was_platform == "$platform" ]] ||
  die "recorded for $was_platform, this is $platform. Fix: set CXX to that compiler, or --record for this one"
[[ $((own * 10)) -le $((was * 11)) ]] ||
  die "$own instructions, $was are recorded: more than 10 % above. Fix: find what grew, or --record if it is worth it"
