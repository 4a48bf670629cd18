#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Makes every driver call of every scenario fail, once and for good, on the host backend, and prints what was tried.
#   ci/enumerate.sh [--pairs] [--replay CASE] [--build-dir FOLDER]
# With --pairs a second call fails, too, at several distances behind each. CASE is what a failure's message names.
set -euo pipefail
# shellcheck source=ci/common.sh
source "$(dirname "$0")/common.sh"

build=build/host-release
depth=""
replay=""
while [[ $# -gt 0 ]]; do
  case $1 in
    --pairs) depth=pairs; shift ;;
    --replay) [[ $# -gt 1 ]] || die "$1 needs a value"; replay=$2; shift 2 ;;
    --build-dir) [[ $# -gt 1 ]] || die "$1 needs a value"; build=$2; shift 2 ;;
    -h | --help) sed -n '5,7s/^# *//p' "$0"; exit 0 ;;
    *) die "unknown argument '$1'. Fix: --pairs, --replay CASE or --build-dir FOLDER" ;;
  esac
done

prepare host
cd "$root"
[[ -f $build/CMakeCache.txt ]] || quietly cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DTAILRACE_BACKEND=host
quietly cmake --build "$build" --parallel "$jobs" --target fault_enumeration_test
program=$build/tests/enumeration/fault_enumeration_test

if [[ -n $replay ]]; then
  TAILRACE_REPLAY=$replay exec "$program" --gtest_filter='Replay.*'
fi

log=$build/fault_enumeration.log
result=0
TAILRACE_ENUMERATE=$depth "$program" > "$log" 2>&1 || result=$?
awk '
  function row(name, a, b, c, d) { printf "%-18s %8s %8s %8s %9s\n", name, a, b, c, d }
  BEGIN { row("scenario", "calls", "singles", "pairs", "failures") }
  $1 == "enumerated" { row($2, $3, $4, $5, $6); n++; calls += $3; singles += $4; pairs += $5; failures += $6 }
  END { row(n " scenarios", calls, singles, pairs, failures) }' "$log"
[[ $result -eq 0 ]] || { grep -v -E '^(enumerated|\[)' "$log" >&2 || true; die "failed with status $result; all of it is in $log"; }
