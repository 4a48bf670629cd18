#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors
"""JAX: numpy.asarray(). There is no call into memory of the caller's. An array keeps what was read of it, so that each
readback is of an array of its own, made beforehand.
jax_peer.py OUT.json"""

import os

import peer

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # leave memory to others

path = peer.out_path()
numpy = peer.need("numpy")
jax = peer.need("jax")
if jax.default_backend() != "gpu":
    peer.skip(f"JAX runs on {jax.default_backend()}. Fix: install its build for this device, and run it on one")

report = peer.Report("jax", jax.__version__)
changed = jax.jit(lambda array, by: array ^ by)


def on_device(size, count):
    """What makes `count` arrays that nobody has read, and the check of what is read of the last."""
    expected = peer.pattern(numpy, size)
    base = jax.device_put(expected)
    turn = 0

    def prepare():
        nonlocal turn
        turn += 1
        return [changed(base, numpy.uint32(turn)).block_until_ready() for _ in range(count)]

    return prepare, lambda found: peer.require_equal(numpy, found, expected ^ numpy.uint32(turn))


prepare, check = on_device(peer.LARGE, 1)
report.large("P3/asarray", lambda arrays: numpy.asarray(arrays[0]), check, prepare)


def read_all(arrays):
    for array in arrays:
        result = numpy.asarray(array)
    return result


prepare, check = on_device(peer.SMALL, peer.READBACKS)
report.small("P4/asarray", read_all, check, prepare)
report.write(path)
