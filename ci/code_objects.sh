#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Lists the AMD code objects that a program, library or archive carries: a line for each object file that was compiled
# with kernels, with the devices that it is for. Fails if one of them lacks a device that is named, or if there are none.
#   ci/code_objects.sh BINARY [DEVICE, as gfx90a]...
set -euo pipefail
# shellcheck source=ci/common.sh
source "$(dirname "$0")/common.sh"

binary=${1:?the program, library or archive to look into}
shift
[[ -r $binary ]] || die "cannot read '$binary'. Fix: name a built program or library"

# The compiler's bundler is in its own folder.
PATH+=":${ROCM_PATH:-/opt/rocm}/llvm/bin:${ROCM_PATH:-/opt/rocm}/lib/llvm/bin"
while read -r folder; do PATH+=":$folder"; done < <(printf '%s\n' /usr/lib/llvm-*/bin | sort -Vr)
have clang-offload-bundler || die "no clang-offload-bundler. Fix: apt-get install hipcc, or set ROCM_PATH"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The files to look into: of an archive its members.
binary=$(realpath "$binary")
if [[ $(head -c 7 "$binary") == '!<arch>' ]]; then
  mkdir "$work/members"
  (cd "$work/members" && ar x "$binary")
  files=("$work"/members/*)
else
  files=("$binary")
fi

# split <section>: writes each of the bundles that follow each other in it to a file.
split() {
  local section=$1 starts start next index
  # number <bytes> <offset in the bundle>
  number() { od -An "-tu$1" "-j$((start + $2))" "-N$1" "$section" | tr -d ' '; }
  mapfile -t starts < <(grep -abo -e __CLANG_OFFLOAD_BUNDLE__ -e CCOB "$1" |
    awk -F: '$1 % 4096 == 0 { print $1 }')
  starts+=("$(stat -c %s "$1")")
  for ((index = 0; index + 1 < ${#starts[@]}; ++index)); do
    start=${starts[index]} next=${starts[index + 1]}
    # A compressed one ("CCOB" as a number) says from version 2 on how long it is, and must not have the padding after it.
    if [[ $(number 4 0) == 1112490819 && $(number 2 4) -ge 2 ]]; then next=$((start + $(number 4 8))); fi
    dd if="$1" of="$1.$index" iflag=skip_bytes,count_bytes skip="$start" count=$((next - start)) bs=64K status=none
  done
}

bundles=0
missing=0
for file in "${files[@]}"; do
  section=$work/section
  rm -f "$section"*
  sections=$(objdump -h "$file" 2> /dev/null) || die "'$file' is no object file. Fix: name a built program or library"
  [[ $sections == *' .hip_fatbin '* ]] || continue
  objcopy --dump-section ".hip_fatbin=$section" "$file" /dev/null
  split "$section"
  for bundle in "$section".*; do
    bundles=$((bundles + 1))
    mapfile -t devices < <(clang-offload-bundler --list --type=o --input="$bundle" 2> /dev/null |
      sed -n 's/^hip[v0-9]*-amdgcn-amd-amdhsa-*\(gfx.*\)/\1/p' | sort -V)
    printf '%s, bundle %d: %s\n' "$(basename "$file")" "$bundles" "${devices[*]}"
    for wanted in "$@"; do
      if [[ " ${devices[*]} " != *" $wanted "* ]]; then
        printf '  no code for %s\n' "$wanted"
        missing=$((missing + 1))
      fi
    done
  done
done
[[ $bundles -gt 0 ]] || die "no code object in $binary. Fix: build it with TAILRACE_BACKEND=hip for AMD"
[[ $missing -eq 0 ]] || die "$missing code objects are missing. Fix: add the devices to CMAKE_HIP_ARCHITECTURES"
