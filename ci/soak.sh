#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Random load of everything that the library offers, on all CPUs, with every byte of every result checked and with what
# the process holds watched (tests/soak). Prints a line every 10 s; the seed is printed, and --seed sets it. Fails if a
# byte was wrong, if something grew, or if the counters do not add up. Installs nothing.
#   ci/soak.sh MINUTES [--backend host|cuda|hip] [--build-dir FOLDER] [--arch ARCHITECTURE] [--seed N] [--threads N]
#              [--faults] [-D<CMake variable>=<value>]...
#              --faults: driver calls fail now and then; host backend only
set -euo pipefail
# shellcheck source=ci/common.sh
source "$(dirname "$0")/common.sh"

backend=$(detect_backend)
build=""
minutes=""
options=()
arguments=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --backend) backend=${2:?--backend needs a value}; shift 2 ;;
    --build-dir) build=${2:?--build-dir needs a value}; shift 2 ;;
    --arch) arch=${2:?--arch needs a value}; shift 2 ;;
    --seed | --threads) arguments+=("$1" "${2:?$1 needs a value}"); shift 2 ;;
    --faults) arguments+=("$1"); shift ;;
    -D*) options+=("$1"); shift ;;
    -h | --help) sed -n '5,10s/^# *//p' "$0"; exit 0 ;;
    *) [[ -z $minutes && $1 =~ ^[0-9]+$ ]] || die "unknown argument '$1'. Fix: ci/soak.sh --help"; minutes=$1; shift ;;
  esac
done
[[ -n $minutes ]] || die "for how long? Fix: ci/soak.sh MINUTES"
[[ $backend =~ ^(host|cuda|hip)$ ]] || die "no backend '$backend'. Fix: --backend host, cuda or hip"
[[ -z ${arch:-} ]] || options+=("$(architecture_option "$arch")")
build=$(realpath -m "${build:-$root/build/$backend-soak}")

generator=()
if have ninja && [[ ! -e $build/CMakeCache.txt ]]; then generator=(-G Ninja); fi
quietly cmake -S "$root" -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DTAILRACE_BACKEND="$backend" \
  -DTAILRACE_BUILD_TOOL=OFF "${options[@]}"
quietly cmake --build "$build" --parallel "$jobs" --target soak
status=0
"$build/tests/soak/soak" --seconds $((minutes * 60)) "${arguments[@]}" || status=$?
[[ $status -ne 77 ]] || die "no device. Fix: run this where the device is usable, or --backend host"
exit "$status"
