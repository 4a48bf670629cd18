#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Shows that the tests can fail. Each tests/mutants/NAME.patch breaks one promise of the library: its first line says
# which, its second names the test programs that must notice. In a copy of the tree, on the host backend, each is applied
# alone; a mutant that no test notices, or a patch that no longer applies, fails the script by name. Writes the table of
# promises, mutants and failing tests to build/mutants/table.md. Installs nothing.
#   ci/mutants.sh [--table FILE] [NAME...]     without names: all
set -euo pipefail
# shellcheck source=ci/common.sh
source "$(dirname "$0")/common.sh"

work=$root/build/mutants
tree=$work/tree
table=$work/table.md
names=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --table) table=$(realpath -m "${2:?--table needs a value}"); shift 2 ;;
    -h | --help) sed -n '5,9s/^# *//p' "$0"; exit 0 ;;
    -*) die "unknown argument '$1'. Fix: --table FILE, or names of tests/mutants/*.patch" ;;
    *) names+=("$1"); shift ;;
  esac
done
have patch || die "no patch. Fix: apt-get install patch"
if [[ ${#names[@]} -eq 0 ]]; then
  for file in "$root"/tests/mutants/*.patch; do names+=("$(basename "$file" .patch)"); done
fi

# line <number> <field> <name>: what a patch says of itself.
line() { sed -n "$1s/^$2: //p" "$root/tests/mutants/$3.patch"; }
for name in "${names[@]}"; do
  [[ -e $root/tests/mutants/$name.patch ]] || die "no mutant '$name'. Fix: a name of tests/mutants/*.patch"
  [[ -n $(line 1 Promise "$name") && -n $(line 2 Tests "$name") ]] ||
    die "tests/mutants/$name.patch does not begin with 'Promise: ' and 'Tests: '. Fix: add these two lines"
done

build_programs() { nice ninja -C "$work/build" "$@" > "$work/build.log" 2>&1; }

# failing_test <program>: which of its tests fails first; empty if none does. One that hangs fails too.
failing_test() {
  local status=0 failed
  GTEST_FAIL_FAST=1 timeout 60 "$work/build/tests/$1" > "$work/run.log" 2>&1 || status=$?
  [[ $status -ne 0 ]] || return 0
  # Of a program that broke off, or hung, the last test that it began.
  failed=$(sed -n -e 's/^\[  FAILED  \] \([^ ,]*\).*/\1/p' -e 's/^\(.*\): BAD (.*/\1/p' "$work/run.log" | head -n 1)
  [[ -n $failed ]] || failed=$(sed -n 's/^\[ RUN      \] \(.*\)/\1/p' "$work/run.log" | tail -n 1)
  printf '%s: %s%s\n' "$1" "${failed:-ended with status $status}" "$([[ $status -ne 124 ]] || echo ' (hangs)')"
}

# A copy. What differs is newer than what was built from it, also if a mutant was left in it.
mkdir -p "$tree"
cd "$root"
while IFS= read -r -d '' file; do
  if [[ -e $file ]] && ! cmp -s "$file" "$tree/$file"; then cp --parents "$file" "$tree"; fi
done < <(git ls-files -z --cached --others --exclude-standard)
(cd "$tree" && find . -type f) | while IFS= read -r file; do
  if [[ ! -e $file ]]; then rm "$tree/$file"; fi
done
options=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 -DTAILRACE_BACKEND=host -DTAILRACE_BUILD_TOOL=OFF)
if have ccache; then
  export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1
  options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
quietly cmake -S "$tree" -B "$work/build" -G Ninja "${options[@]}"

# Programs that have passed without a mutant; only of these does a failure say anything.
declare -A sound=()
require_sound() {
  local program failed
  for program in "$@"; do
    [[ -z ${sound[$program]:-} ]] || continue
    build_programs "$program" || { cat "$work/build.log" >&2; die "$program does not build. Fix: see above"; }
    failed=$(failing_test "$program")
    [[ -z $failed ]] || die "fails without a mutant: $failed. Fix: let the tests pass first"
    sound[$program]=yes
  done
}

# judge <program>...: sets `verdict` to the test that notices, or to what is wrong, and then answers false.
judge() {
  local program
  verdict="does not compile"
  build_programs "$@" || return 1
  for program in "$@"; do
    verdict=$(failing_test "$program")
    [[ -z $verdict ]] || return 0
  done
  verdict="SURVIVES"
  return 1
}

rows=()
bad=()
for name in "${names[@]}"; do
  file=$root/tests/mutants/$name.patch
  if ! patch -d "$tree" -p1 --dry-run -s -f < "$file" > /dev/null; then
    verdict="does not apply"
    bad+=("$name")
  else
    read -ra its <<< "$(line 2 Tests "$name")"
    require_sound "${its[@]}"
    patch -d "$tree" -p1 -s -f --no-backup-if-mismatch < "$file"
    judge "${its[@]}" || bad+=("$name")
    patch -d "$tree" -p1 -s -f -R --no-backup-if-mismatch < "$file"
  fi
  printf '%-28s %s\n' "$name" "$verdict"
  rows+=("| $(line 1 Promise "$name") | $name | $verdict |")
done

mkdir -p "$(dirname "$table")"
{
  printf '%s\n' '# Which test notices when a promise is broken' '' \
    "Written by \`ci/mutants.sh --table\`: each mutant of tests/mutants was built and the tests that it names were run." \
    '' '| promise | mutant | first failing test |' '|---|---|---|' "${rows[@]}"
} > "$table"
echo "$((${#names[@]} - ${#bad[@]})) of ${#names[@]} mutants are noticed; the table is in ${table#"$root"/}"
[[ ${#bad[@]} -eq 0 ]] ||
  die "not noticed, or not tried: ${bad[*]}. Fix: write the missing test, or make the patch anew for the present source"
