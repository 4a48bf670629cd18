# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors
"""What each row of the report is about. A row's figures and its goal come from its benchmark."""

import re

# label or its part before the slash: (work, unit of plain and ours)
ROWS = {
    "P1": ("large readbacks through a ring; plain: bare copies back to back", "GB/s"),
    "P2/memcpy": ("1 GiB into touched pageable memory; plain: blocking copy", "GB/s"),
    "P2/raw": ("1 GiB into touched pageable memory; plain: bare copy into pinned memory", "GB/s"),
    "P2b": ("reads of other sizes into touched pageable memory; plain: blocking copy", "GB/s"),
    "P2c/free": ("producer busy for a snapshot of 1 GiB; ratio: ours over a copy on the device", "us"),
    "P2c/raw": ("1 GiB by snapshot into touched pageable memory; plain: bare copy into pinned memory", "GB/s"),
    "P3/small_pages": ("1 GiB into fresh memory of 4 KiB pages; plain: blocking copy", "GB/s"),
    "P3/huge_pages": ("1 GiB into fresh memory of huge pages; plain: blocking copy", "GB/s"),
    "P3b": ("reads of other sizes into fresh memory of 4 KiB pages; plain: blocking copy", "GB/s"),
    "P4/ring": ("4 KiB, 64 in flight; plain: ring by hand, an event per copy", "us"),
    "P4/memcpy": ("4 KiB, 64 in flight; plain: blocking copy into pinned memory", "us"),
    "P4/batch": ("4 KiB, 64 in flight; plain: one batched copy of 64", "us"),
    "P4b": ("4 KiB by record + arm of 8; plain: blocking copy into pinned memory", "us"),
    "P4c": ("10,000 results of 64 bytes, 64 in flight; plain: blocking copy into pinned memory", "us"),
    "P5": ("4 KiB on 8 threads; plain: they share a stream, an event per copy", "us"),
    "P7": ("one 4 KiB readback, until its bytes are there; ratio: ours over the bare calls", "us"),
    "P7/noise": ("the bare calls against themselves: how exact P7 is", "us"),
    "P8/made": ("a ring of 1 GiB made; plain: the vendor's pinned allocation", "ms"),
    "P8/made_and_freed": ("a ring of 1 GiB made and freed; plain: the vendor's pinned allocation", "ms"),
    "P8/copy": ("bare copies into a ring's 1 GiB; plain: into the vendor's allocation", "GB/s"),
    "P8/read": ("the CPU reads a ring's slots; plain: ordinary memory", "GB/s"),
    "P9": ("triad kernel beside readback; plain: beside bare copies", "GB/s"),
    "P10": ("own cost of submit, poll and visit; ratio: ours less the driver calls", "ns"),
    "P11/torch": ("as our row, by PyTorch", ""),
    "P11/cupy": ("as our row, by CuPy", ""),
    "P11/jax": ("as our row, by JAX", ""),
    "P17": ("a tiny kernel and 4 KiB read back each step; plain: blocking copy", "us"),
}

SMALLER_IS_BETTER = ("P2c/free", "P7", "P7/noise", "P10")


def _known(label):
    """The key of ROWS that a label belongs to: itself, or what is before a slash in it."""
    while label not in ROWS and "/" in label:
        label = label.rsplit("/", 1)[0]
    return label


# What a peer's row is joined with, by our row's name in it, or by the peer and that. NumPy, which CuPy's memory is of,
# asks for huge pages; the other peers take pages as they come.
PARTNERS = {"P2": "P2/memcpy", "P3": "P3/small_pages", "cupy/P3": "P3/huge_pages", "P4": "P4/memcpy"}


def partner(label):
    """Of a peer's row, "P11/<peer>/<our row>[/<call>]": our row's label."""
    _, peer, ours = label.split("/")[:3]
    return PARTNERS.get(f"{peer}/{ours}") or PARTNERS.get(ours, ours)


def unit(label):
    if label.startswith("P11/"):
        return unit(partner(label))
    return ROWS.get(_known(label), ("", ""))[1]


def describe(label):
    """Work and unit."""
    return ROWS.get(_known(label), ("", ""))[0], unit(label)


def smaller_is_better(label):
    return _known(label) in SMALLER_IS_BETTER


def ratio_unit(label):
    return "ns" if label == "P10" else ""


def order(label):
    known = list(ROWS)
    key = _known(label)
    numbers_as_such = [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", label)]
    return (known.index(key) if key in known else len(known), numbers_as_such)
