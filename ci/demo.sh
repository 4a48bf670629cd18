#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Installs what is missing (as root), configures, builds and runs the demonstration on the hardware that is present.
#   ci/demo.sh [--backend host|cuda|hip] [further arguments of `tailrace demo`: --input FILE, --size WxH, --steps N,
#              --every K, --frames DIR, --device N; `tailrace demo --help` explains them]
set -euo pipefail
# shellcheck source=ci/common.sh
source "$(dirname "$0")/common.sh"

backend=$(detect_backend)
arguments=(--input "$root/docs/examples/input/terrain.png")
further=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --backend) [[ $# -gt 1 ]] || die "--backend needs a value. Fix: host, cuda or hip"; backend=$2; shift 2 ;;
    --backend=*) backend=${1#*=}; shift ;;
    -h | --help) sed -n '5,7s/^# *//p' "$0"; exit 0 ;;
    --input | --input=*) arguments=(); further+=("$1"); shift ;;
    *) further+=("$1"); shift ;;
  esac
done

prepare "$backend"
cd "$root"
echo "backend $backend"
# The tests' build folder: nothing is compiled twice by somebody who runs both scripts.
echo "building in build/$backend-release; the first time takes some minutes" >&2
quietly cmake --preset "$backend-release"
quietly cmake --build --preset "$backend-release" --parallel "$jobs" --target tailrace_tool
cd - > /dev/null
exec "$root/build/$backend-release/src/tool/tailrace" demo "${arguments[@]}" "${further[@]}"
