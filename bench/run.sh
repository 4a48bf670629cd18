#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Runs all benchmarks of a build, the peers whose packages Python has, and the report.
#   bench/run.sh BUILD_DIR OUT_DIR
# OUT_DIR gets a JSON file for each program, timeline.intervals, report.tsv, and run.log with all that was printed. A
# program that fails, or takes longer than LIMIT seconds (100), leaves no JSON; the others are still run, and the exit
# status is 1 in the end.
# May be set too: PYTHON; PEERS ("torch cupy jax"); PLOTS, a folder for plots (none: no plots; they need matplotlib);
# REPETITIONS (5) and MIN_TIME (0.05 s of each), which large benchmarks do not heed.
set -euo pipefail

bench=$(cd "$(dirname "$0")" && pwd)
[[ $# -eq 2 ]] || { echo "run.sh: wrong arguments. Fix: bench/run.sh BUILD_DIR OUT_DIR" >&2; exit 2; }
programs=("$1"/bench/*_bench)
[[ -x ${programs[0]} ]] || {
  echo "run.sh: no benchmarks in $1. Fix: build it with -DTAILRACE_BUILD_BENCHMARKS=ON" >&2
  exit 1
}
build=$1
out=$2
python=${PYTHON:-python3}
log=$out/run.log
failed=()
mkdir -p "$out"
rm -f "$out"/*.json "$out"/{timeline.intervals,report.tsv,run.log}

say() { echo "$*" | tee -a "$log" >&2; }

# run NAME FILE COMMAND...: FILE is what the command writes, and is removed if it fails. Status 77: there was a reason
# to skip it.
run() {
  local name=$1 file=$2 started=$SECONDS status=0
  shift 2
  say "== $name"
  timeout "${LIMIT:-100}" "$@" >> "$log" 2>&1 || status=$?
  if [[ $status -eq 0 ]]; then
    say "   $((SECONDS - started)) s"
  elif [[ $status -eq 77 ]]; then
    say "   $(tail -n 1 "$log")"
  else
    say "   failed with status $status. Fix: see $log"
    failed+=("$name")
    rm -f "$file"
  fi
}

for program in "${programs[@]}"; do
  name=$(basename "$program")
  run "$name" "$out/$name.json" "$program" --benchmark_min_time="${MIN_TIME:-0.05}" \
    --benchmark_repetitions="${REPETITIONS:-5}" --benchmark_report_aggregates_only=true \
    --benchmark_out="$out/$name.json" --benchmark_out_format=json
done
intervals=$out/timeline.intervals
# shellcheck disable=SC2016 # the inner shell expands them
run timeline "$intervals" bash -c '"$1" > "$2"' bash "$build/bench/timeline" "$intervals"

"$python" -c "" 2> /dev/null || { say "run.sh: no $python. Fix: set PYTHON; the JSON files are in $out"; exit 1; }
for peer in ${PEERS-torch cupy jax}; do
  run "peer $peer" "$out/peer_$peer.json" "$python" "$bench/peers/${peer}_peer.py" "$out/peer_$peer.json"
done

shopt -s nullglob
files=("$out"/*.json)
plots=()
if [[ -n ${PLOTS:-} ]]; then plots=(--plots "$PLOTS"); fi
if [[ -n ${PLOTS:-} && -f $intervals ]]; then plots+=(--timeline "$intervals"); fi
if [[ ${#files[@]} -gt 0 ]]; then
  "$python" "$bench/report/report.py" "${files[@]}" --tsv "$out/report.tsv" "${plots[@]}" 2>&1 | tee -a "$log" ||
    failed+=(report)
fi
say "took $SECONDS s"
[[ ${#failed[@]} -eq 0 ]] || { say "run.sh: failed: ${failed[*]}. Fix: see $log, and run these by themselves"; exit 1; }
