# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors
"""The plots of the report."""

import os
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError as error:
    sys.exit(f"report.py: plots need matplotlib ({error}). Fix: pip install matplotlib, or leave out --plots")

OURS = "#0b6e99"
PLAIN = "#b5651d"
RAW = "#666666"


def draw(found, intervals, folder):
    """Draws what there is data for. Returns the files' paths."""
    drawn = []

    def save(figure, name):
        path = os.path.join(folder, name)
        figure.tight_layout()
        figure.savefig(path, dpi=120)
        pyplot.close(figure)
        drawn.append(path)

    if "curve/bandwidth_pinned" in found and "curve/bandwidth_pageable" in found:
        save(bandwidth(found["curve/bandwidth_pinned"], found["curve/bandwidth_pageable"]), "bandwidth_over_size.png")
    for label, about, name, plain in (
        ("curve/depth", "readbacks in flight", "readback_over_depth.png", "ring by hand, an event per copy"),
        ("curve/threads", "threads", "readback_over_threads.png", "one shared copy stream, an event per copy"),
    ):
        if label in found:
            save(over(found[label], about, plain), name)
    if intervals:
        save(timeline(intervals), "timeline.png")
    return drawn


def size(value):
    for suffix in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:g} {suffix}"
        value /= 1024
    return f"{value:g} GiB"


def axes(title, x, y, width=7.0, height=4.2):
    figure, ax = pyplot.subplots(figsize=(width, height))
    ax.set_title(title)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(True, color="#dddddd")
    ax.set_axisbelow(True)
    return figure, ax


def x_ticks(ax, points, text):
    ax.set_xscale("log", base=2)
    ax.set_xticks([point["x"] for point in points], [text(point["x"]) for point in points])
    ax.minorticks_off()


def line(ax, points, counter, color, label):
    ax.plot([point["x"] for point in points], [point[counter] for point in points], "o-", color=color, label=label)


def bandwidth(pinned, pageable):
    figure, ax = axes("Device to host, by size", "bytes of one read", "GB/s")
    line(ax, pinned, "plain", RAW, "bare copy, pinned memory")
    line(ax, pageable, "ours", OURS, "tailrace read, pageable memory")
    line(ax, pageable, "plain", PLAIN, "blocking copy, pageable memory")
    x_ticks(ax, pinned, size)
    ax.set_ylim(bottom=0, top=ax.get_ylim()[1] * 1.3)  # room for the legend
    ax.legend()
    return figure


def over(points, about, plain):
    figure, ax = axes(f"4 KiB readback, by {about}", about, "µs per readback")
    line(ax, points, "plain", PLAIN, plain)
    line(ax, points, "ours", OURS, "tailrace")
    x_ticks(ax, points, lambda x: f"{x:g}")
    ax.set_ylim(bottom=0)
    ax.legend()
    return figure


def timeline(intervals):
    lanes = ["kernel", "copy", "collect"]
    figure, ax = axes("Steps overlapping", "µs", "", width=9.0, height=2.6)
    for interval in intervals:
        begin, length = interval["begin_us"], interval["end_us"] - interval["begin_us"]
        shade = OURS if interval["step"] % 2 == 0 else PLAIN
        y = lanes.index(interval["lane"])
        ax.barh(y, length, left=begin, height=0.7, color=shade, edgecolor="white", linewidth=0.5)
        ax.text(begin + length / 2, y, str(interval["step"]), ha="center", va="center", color="white", fontsize=8)
    ax.set_yticks(range(len(lanes)), lanes)
    ax.invert_yaxis()
    ax.grid(False, axis="y")
    return figure
