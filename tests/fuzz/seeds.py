#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors
"""Writes the inputs from which each fuzz target starts: seeds.py FOLDER makes FOLDER/<target>/<n>."""

import pathlib
import struct
import sys
import zlib


def npy(header: str, major: int = 1, cells: int = 9) -> bytes:
    length = struct.pack("<H" if major == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([major, 0]) + length + header.encode() + struct.pack(f"<{cells}f", *range(cells))


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, depth: int, colour: int = 0, interlace: int = 0, extra: bytes = b"") -> bytes:
    row = b"\0" + bytes(range(width * depth // 8))
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    body = chunk(b"IHDR", header) + extra + chunk(b"IDAT", zlib.compress(row * height)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body + b"\0"  # the last byte is the target's: whether checksums are put right


def view(*sizes: int) -> bytes:
    return b"".join(struct.pack("<BQ", 255, size) for size in sizes)


HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3), }\n"
SEEDS = {
    "npy": [npy(HEADER), npy(HEADER, 2), npy(HEADER, 3), npy(HEADER.replace("<f4", ">f8")),
            npy(HEADER.replace("False", "True")), npy(HEADER.replace("(3, 3)", "(4294967296, 4294967297)")),
            npy(HEADER.replace("'<f4'", "[('a', '<f4')]"))],
    "png": [png(3, 3, 8), png(4, 3, 16), png(3, 3, 8, colour=4), png(8, 8, 8, interlace=1),
            png(3, 3, 8, extra=chunk(b"tEXt", b"Title\0three")), png(3, 3, 8, extra=chunk(b"gAMA", b"\0\0\xb1\x8f"))],
    "settings": [b"\0" + text for text in (b"", b"0", b"1", b"256", b"257", b"18446744073709551616", b" 8", b"8x")]
    + [b"\1" + text for text in (b"1G", b"64M", b"4096", b"16777216T", b"0", b"-1", b"1Gi")]
    + [b"\2" + struct.pack("<Q", size) for size in (0, 1, 4096, 4097, 2**64 - 1)]
    + [b"\3" + text for text in (b"0::/a/b\0" + b"200000 100000\nactive_file 4096\n",
                                 b"4:cpu,cpuacct:/a\n5:memory:/b\0" + b"65536\ntotal_active_file 1\n", b"0::/\0max 100000")],
    "view": [view(4096, 16, 64, 1, 1, 0, 0, 16), view(4096, 0, 12, 5, 3, 16, 80, 24),
             view(2**64 - 16, 8, 8, 1, 1, 0, 0, 1), view(1, 0, 2**33, 2**31, 1, 2**33, 0, 2**20)],
}

if __name__ == "__main__":
    for target, inputs in SEEDS.items():
        folder = pathlib.Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        for number, content in enumerate(inputs):
            (folder / str(number)).write_bytes(content)
