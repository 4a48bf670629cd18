#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Runs all benchmarks of a build, the peers whose packages Python has, and the report.
#   bench/run.sh BUILD_DIR OUT_DIR
# OUT_DIR gets a JSON file for each program, report.tsv, and plots if Python has matplotlib. PYTHON, REPETITIONS (5) and
# MIN_TIME (0.05 s of each repetition) may be set.
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
repetitions=${REPETITIONS:-5}
min_time=${MIN_TIME:-0.05}
mkdir -p "$out"
rm -f "$out"/*.json

for program in "${programs[@]}"; do
  name=$(basename "$program")
  echo "== $name" >&2
  started=$SECONDS
  "$program" --benchmark_min_time="$min_time" --benchmark_repetitions="$repetitions" \
    --benchmark_report_aggregates_only=true --benchmark_out="$out/$name.json" --benchmark_out_format=json > "$out/$name.log" 2>&1 ||
    { cat "$out/$name.log" >&2; exit 1; }
  echo "   $((SECONDS - started)) s" >&2
done
"$build/bench/timeline" > "$out/timeline.intervals"

have_python() { "$python" -c "import $1" 2> /dev/null; }
have_python sys || { echo "run.sh: no $python. Fix: set PYTHON; the JSON files are in $out" >&2; exit 1; }
for peer in torch cupy jax; do
  echo "== $peer" >&2
  status=0
  "$python" "$bench/peers/${peer}_peer.py" "$out/peer_$peer.json" || status=$?
  [[ $status -eq 0 || $status -eq 77 ]] || exit "$status" # 77: skipped
done

plots=()
if have_python matplotlib; then
  plots=(--plots "$out" --timeline "$out/timeline.intervals")
else
  echo "no plots: $python has no matplotlib. Fix: pip install matplotlib" >&2
fi
"$python" "$bench/report/report.py" "$out"/*.json --tsv "$out/report.tsv" "${plots[@]}"
