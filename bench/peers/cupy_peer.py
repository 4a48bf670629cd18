#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors
"""CuPy: .get(), which makes its destination, and .get(out=...) into one that was touched.
cupy_peer.py OUT.json"""

import peer

path = peer.out_path()
numpy = peer.need("numpy")
cupy = peer.need("cupy")
try:
    cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError as error:
    peer.skip(f"CuPy finds no GPU ({error}). Fix: run it on one")

report = peer.Report("cupy", cupy.__version__)


def on_device(size):
    expected = peer.pattern(numpy, size)
    source = cupy.asarray(expected)
    cupy.cuda.Device().synchronize()
    return source, lambda found: peer.require_equal(numpy, found, expected)


source, check = on_device(peer.LARGE)
touched = numpy.ones(source.shape, source.dtype)
report.large("P2/get_out", lambda _: source.get(out=touched), check)
report.large("P3/get", lambda _: source.get(), check)

source, check = on_device(peer.SMALL)
touched = numpy.ones(source.shape, source.dtype)
report.small("P4/get", peer.repeated(source.get), check)
report.small("P4/get_out", peer.repeated(lambda: source.get(out=touched)), check)
report.write(path)
