#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors
"""The table and the plots of what the benchmarks measured.

report.py JSON... [--tsv FILE] [--plots FOLDER] [--timeline JSON]

JSON files are those of Google Benchmark (--benchmark_out), of any benchmark of bench/ and of bench/peers. The table has
a line for each row that a benchmark names by its label; bench/peers are joined with our rows of the same work.
"""

import argparse
import json
import math
import os
import statistics
import sys

import rows

COLUMNS = ("row", "work", "plain", "ours", "ratio", "goal", "met")


def fail(message):
    sys.exit(f"report.py: {message}")


def failures(documents):
    """What benchmarks failed, as lines."""
    return [
        f"{entry['name']} failed: {entry.get('error_message')}" for document in documents
        for entry in document["benchmarks"] if entry.get("error_occurred")
    ]


def runs_by_benchmark(documents):
    """(label, name of the benchmark) -> its entries: Google Benchmark's own median where it made several repetitions,
    else the runs."""
    runs, own_medians = {}, {}
    for document in documents:
        for entry in document["benchmarks"]:
            key = (entry.get("label", ""), entry.get("run_name", entry["name"]))
            if not key[0] or entry.get("error_occurred"):
                continue
            if entry.get("run_type") != "aggregate":
                runs.setdefault(key, []).append(entry)
            elif entry["aggregate_name"] == "median":
                own_medians[key] = [entry]
    return {**runs, **own_medians}


def medians(documents):
    """Label -> counters; for labels of curves, a list of them, sorted by x."""
    found = {}
    for (label, _), entries in runs_by_benchmark(documents).items():
        counters = {
            counter: statistics.median(entry[counter] for entry in entries)
            for counter in ("plain", "ours", "ratio", "goal", "x") if all(counter in entry for entry in entries)
        }
        if label.startswith("curve/"):
            found.setdefault(label, []).append(counters)
        else:
            found[label] = counters
    for label, points in found.items():
        if label.startswith("curve/"):
            points.sort(key=lambda point: point["x"])
    return found


def join_peers(found):
    """Rows of bench/peers have our figure taken from our row of the same work; what has no partner is dropped."""
    joined = {}
    for label, counters in found.items():
        if not label.startswith("P11/"):
            joined[label] = counters
            continue
        ours = found.get(rows.partner(label))
        if ours is None:
            continue
        plain = counters["plain"]
        times_better = ours["ours"] / plain if rows.unit(label) == "GB/s" else plain / ours["ours"]
        joined[label] = {"plain": plain, "ours": ours["ours"], "ratio": times_better}
    return joined


def table(found):
    """Lines of COLUMNS, in the order of rows.ROWS; rows that it does not know come last, as they are."""
    lines = []
    for label in sorted((label for label in found if not label.startswith("curve/")), key=rows.order):
        counters = found[label]
        work, unit = rows.describe(label)
        goal = counters.get("goal")
        if goal is None:
            goal_text, met = "", ""
        else:
            smaller = rows.smaller_is_better(label)
            goal_text = f"{'<=' if smaller else '>='} {goal:g}"
            met = "yes" if (counters["ratio"] <= goal if smaller else counters["ratio"] >= goal) else "no"
        lines.append(
            (label, work, figure(counters["plain"], unit), figure(counters["ours"], unit),
             figure(counters["ratio"], rows.ratio_unit(label)), goal_text, met))
    return lines


def figure(value, unit):
    digits = max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0
    return f"{value:.{min(digits, 4)}f}{' ' + unit if unit else ''}"


def print_aligned(lines, out=sys.stdout):
    widths = [max(len(line[column]) for line in [COLUMNS, *lines]) for column in range(len(COLUMNS))]
    for line in [COLUMNS, *lines]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip(), file=out)


def write_tsv(lines, path):
    with open(path, "w", encoding="utf-8") as out:
        for line in [COLUMNS, *lines]:
            out.write("\t".join(line) + "\n")


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        fail(f"{path} cannot be read: {error}. Fix: name JSON that a benchmark wrote to its end")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", nargs="+", metavar="JSON")
    parser.add_argument("--tsv", metavar="FILE", help="write the table there too")
    parser.add_argument("--plots", metavar="FOLDER", help="draw the plots there (matplotlib)")
    parser.add_argument("--timeline", metavar="JSON", help="what the program timeline printed, to be drawn too")
    arguments = parser.parse_args()
    documents = [load(path) for path in arguments.json]
    found = medians(documents)
    lines = table(join_peers(found))
    failed = failures(documents)
    if not lines and not failed:
        fail("no row in these files. Fix: name JSON of this project's benchmarks")
    print_aligned(lines)
    if arguments.tsv:
        write_tsv(lines, arguments.tsv)
    if arguments.plots:
        import plots  # needs matplotlib, which the table does not

        os.makedirs(arguments.plots, exist_ok=True)
        intervals = load(arguments.timeline)["intervals"] if arguments.timeline else None
        for path in plots.draw(found, intervals, arguments.plots):
            print(f"drawn: {path}")
    if failed:
        fail("\n".join([*failed, "Fix: run that benchmark by itself"]))


if __name__ == "__main__":
    main()
