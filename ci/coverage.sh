#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Line coverage of the library (src/ without the tool, backends/host/) by the tests of the host backend. Prints what is
# not covered, and fails if less than 95 % is. Installs nothing; takes some minutes.
#   ci/coverage.sh [--build-dir FOLDER] [--html FOLDER]
set -euo pipefail
# shellcheck source=ci/common.sh
source "$(dirname "$0")/common.sh"

least=95
build=$root/build/coverage
html=""
while [[ $# -gt 0 ]]; do
  case $1 in
    --build-dir) build=$(realpath -m "${2:?--build-dir needs a value}"); shift 2 ;;
    --html) html=$(realpath -m "${2:?--html needs a value}"); shift 2 ;;
    *) die "unknown argument '$1'. Fix: --build-dir FOLDER or --html FOLDER" ;;
  esac
done
have gcovr || die "no gcovr. Fix: apt-get install gcovr"

generator=()
if have ninja; then generator=(-G Ninja); fi
# Counters are atomic, since the tests' threads meet in them; lines are those of the source only without optimisation.
quietly cmake -S "$root" -B "$build" "${generator[@]}" -DTAILRACE_BACKEND=host -DCMAKE_BUILD_TYPE=Debug \
  "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -g1 -fno-inline" "-DCMAKE_CXX_FLAGS=--coverage -fprofile-update=atomic" \
  -DTAILRACE_BUILD_TESTS=ON -DTAILRACE_BUILD_TOOL=OFF
quietly cmake --build "$build" --parallel "$jobs"

find "$build" -name '*.gcda' -delete
# Those that are left out build the project anew, elsewhere.
quietly ctest --test-dir "$build" --no-tests=error --output-on-failure --parallel "$jobs" \
  --exclude-regex '^(consumer|configure)\.'

report=(--txt -)
if [[ -n $html ]]; then
  mkdir -p "$html"
  report+=(--html-details "$html/index.html")
fi
# Of the library's own objects: a test that includes an inner header is no user of it.
gcovr --root "$root" --object-directory "$build" --filter 'src/[^/]*$' --filter 'backends/host/' \
  --exclude-throw-branches --exclude-unreachable-branches --fail-under-line "$least" "${report[@]}" \
  "$build/src" "$build/backends" ||
  die "gcovr failed, or less than $least % of the lines are covered. Fix: see above; write a test for what is missing"
