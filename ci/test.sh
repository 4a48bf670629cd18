#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Installs what is missing (as root), configures, builds and runs every test for the hardware that is present.
#   ci/test.sh [--backend host|cuda|hip] [--preset NAME] [-D<CMake variable>=<value>]...
set -euo pipefail
# shellcheck source=ci/common.sh
source "$(dirname "$0")/common.sh"

backend=$(detect_backend)
preset=""
options=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --backend | --preset) [[ $# -gt 1 ]] || die "$1 needs a value"; declare "${1#--}=$2"; shift 2 ;;
    --backend=* | --preset=*) argument=${1#--}; declare "${argument%%=*}=${argument#*=}"; shift ;;
    -D*) options+=("$1"); shift ;;
    -h | --help) sed -n '5,6s/^# *//p' "$0"; exit 0 ;;
    *) die "unknown argument '$1'. Fix: --backend host|cuda|hip, --preset NAME or -DNAME=VALUE" ;;
  esac
done
preset=${preset:-$backend-release}

prepare "$backend"
cd "$root"
echo "backend $backend, preset $preset"
cmake --preset "$preset" "${options[@]}"
cmake --build --preset "$preset" --parallel "$jobs"
ctest --preset "$preset" --no-tests=error --parallel "$jobs"
