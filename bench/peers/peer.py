# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors
"""What the peers' programs share: each does the work of some of our rows with its own calls, several times, and writes
medians in the JSON shape of Google Benchmark, with labels "P11/<peer>/<our row>/<its call>"."""

import importlib
import json
import statistics
import sys
import time

LARGE = 1 << 30  # bytes of a read, as in P2 and P3
SMALL = 4096  # bytes of a readback, as in P4
LARGE_REPETITIONS = 5
SMALL_REPETITIONS = 9
READBACKS = 256  # of a repetition

SKIPPED = 77


def skip(message):
    print(f"skipped: {message}", file=sys.stderr)
    sys.exit(SKIPPED)


def need(package):
    try:
        return importlib.import_module(package)
    except ImportError as error:
        skip(f"{error}. Fix: pip install {package}, in its build for this device")


def pattern(numpy, size):
    """Words of which each is another one."""
    return numpy.arange(size // 4, dtype=numpy.uint32) * numpy.uint32(2654435761)


def repeated(read):
    """A small row's way: READBACKS times, one after the other; what the last one read."""
    def run(_):
        for _ in range(READBACKS):
            result = read()
        return result

    return run


class Report:
    def __init__(self, peer, version):
        self.peer = peer
        self.context = {"peer": f"{peer} {version}", "date": time.strftime("%Y-%m-%dT%H:%M:%S%z")}
        self.benchmarks = []

    def large(self, row, read, check, prepare=lambda: None):
        """GB/s of read(prepare()), which must return the bytes that check() compares."""
        seconds = self._seconds(LARGE_REPETITIONS, read, check, prepare)
        self._add(row, seconds, LARGE / seconds / 1e9)

    def small(self, row, read, check, prepare=lambda: None):
        """Microseconds of a readback; read(prepare()) makes READBACKS of them."""
        seconds = self._seconds(SMALL_REPETITIONS, read, check, prepare)
        self._add(row, seconds, seconds / READBACKS * 1e6)

    @staticmethod
    def _seconds(repetitions, read, check, prepare):
        times = []
        for repetition in range(repetitions + 1):
            prepared = prepare()
            start = time.perf_counter()
            result = read(prepared)
            took = time.perf_counter() - start
            check(result)
            if repetition > 0:  # the first warms up
                times.append(took)
        return statistics.median(times)

    def _add(self, row, seconds, figure):
        name = f"{self.peer}/{row}"
        self.benchmarks.append({
            "name": name, "run_name": name, "run_type": "iteration", "label": f"P11/{name}", "iterations": 1,
            "real_time": seconds * 1e6, "cpu_time": seconds * 1e6, "time_unit": "us", "plain": figure,
        })
        print(f"{name}: {figure:.2f}", file=sys.stderr)

    def write(self, path):
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"context": self.context, "benchmarks": self.benchmarks}, out, indent=1)


def out_path():
    if len(sys.argv) != 2:
        sys.exit(f"{sys.argv[0]}: no file to write. Fix: name one as the only argument")
    return sys.argv[1]


def require_equal(numpy, found, expected):
    if not numpy.array_equal(numpy.asarray(found), expected):
        sys.exit(f"{sys.argv[0]}: the bytes that arrived are wrong")
