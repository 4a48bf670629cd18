#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# No vendor is named in the public headers and in the core: where vendors differ is behind backends/adapter.hpp. Prints
# what is allowed all the same, and fails at anything else.
#   ci/vendor_names.sh [<folder or file>...]    default: include src
set -euo pipefail
# shellcheck source=ci/common.sh
source "$(dirname "$0")/common.sh"
cd "$root"
[[ $# -gt 0 ]] || set -- include src

# Vendors, their runtimes, tools and devices, as words or at the head of a name: cudaMalloc, BACKEND_HIP, cuStreamQuery.
names='(^|[^a-z])(cuda|hip|nvidia|amd|rocm|nvtx|nvml|nvcc|hsa|gfx[0-9]|sm_[0-9]|cu(stream|event|mem|ctx|device))'
# What a line may say, and in which file.
allowed=(
  'include/tailrace/devices.hpp:*"sm_90", "gfx90a"*'  # examples of what a device says of itself
  'include/tailrace/stream.hpp:*HIP before 6.2*'      # what StreamRef::get() means in a program's own vendor calls
)

is_allowed() {
  local pattern
  for pattern in "${allowed[@]}"; do
    # shellcheck disable=SC2053 # it is a pattern
    [[ $1 == $pattern ]] && return 0
  done
  return 1
}

lines=$(grep -rniIE "$names" "$@") || [[ $? -eq 1 ]] || die "not everything could be read. Fix: name what is there"
refused=0
while IFS= read -r line; do
  if [[ -z $line ]]; then
    continue
  elif is_allowed "$line"; then
    echo "allowed: $line"
  else
    echo "refused: $line"
    refused=$((refused + 1))
  fi
done <<< "$lines"
[[ $refused -eq 0 ]] || die "$refused lines name a vendor. Fix: move what differs into backends/, or allow the line here"
