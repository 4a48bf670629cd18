#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Fuzzes what reads input from outside, each target for a time, under AddressSanitizer and UndefinedBehaviorSanitizer.
#   ci/fuzz.sh SECONDS [TARGET...]     targets: npy png settings view; by default all
# What was found before is kept in build/fuzz/corpus; an input that breaks something is left in build/fuzz/broken.
set -euo pipefail
# shellcheck source=ci/common.sh
source "$(dirname "$0")/common.sh"

[[ ${1:-} =~ ^[0-9]+$ && $1 -gt 0 ]] || die "no time given. Fix: ci/fuzz.sh SECONDS [TARGET...]"
seconds=$1
shift
targets=("$@")
[[ $# -gt 0 ]] || targets=(npy png settings view)

[[ -n ${CXX:-} ]] || have clang++-14 || install_packages clang-14 libclang-rt-14-dev
compiler=${CXX:-clang++-14}
build=$root/build/fuzz
prepare host
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DTAILRACE_BUILD_FUZZERS=ON -DTAILRACE_BUILD_TESTS=OFF -DTAILRACE_BUILD_TOOL=OFF -DTAILRACE_WERROR=ON > /dev/null
quietly cmake --build "$build" --parallel "$jobs" --target fuzzers
python3 "$root/tests/fuzz/seeds.py" "$build/seeds"

mkdir -p "$build/broken"
for target in "${targets[@]}"; do
  program=$build/tests/fuzz/${target}_fuzz
  [[ -x $program ]] || die "no target '$target'. Fix: one of npy, png, settings, view"
  mkdir -p "$build/corpus/$target"
  printf '==== %s\n' "$target"
  # The end of the output has the counts; when something broke, all of it is of interest.
  "$program" -max_total_time="$seconds" -max_len=4096 -rss_limit_mb=1024 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="$build/broken/$target-" "$build/corpus/$target" "$build/seeds/$target" \
    > "$build/$target.log" 2>&1 || { tail -n 60 "$build/$target.log"; die "$target: an input breaks it, see above"; }
  grep -E 'stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)|DONE' "$build/$target.log"
done
