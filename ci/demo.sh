#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Installs what is missing (as root), configures, builds and runs the demonstration on the hardware that is present.
#   ci/demo.sh [--backend host|cuda|hip] [further arguments of `tailrace demo`]...
set -euo pipefail
# shellcheck source=ci/common.sh
source "$(dirname "$0")/common.sh"

backend=$(detect_backend)
arguments=(--input "$root/docs/examples/input/terrain.png")
further=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --backend) backend=${2:?--backend needs a value}; shift 2 ;;
    --backend=*) backend=${1#*=}; shift ;;
    --input | --input=*) arguments=(); further+=("$1"); shift ;;
    *) further+=("$1"); shift ;;
  esac
done

prepare "$backend"
cd "$root"
echo "backend $backend"
# The tests' build folder: nothing is compiled twice by somebody who runs both scripts.
quietly cmake --preset "$backend-release"
quietly cmake --build --preset "$backend-release" --parallel "$jobs" --target tailrace_tool
cd - > /dev/null
exec "$(find "$root/build/$backend-release" -type f -name tailrace -perm -u+x)" demo "${arguments[@]}" "${further[@]}"
