#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors
"""Makes terrain.png and terrain.npy of a measured elevation model. Standard library only; see README.md."""

import ast
import struct
import sys
import zipfile
import zlib

KEEP_EVERY = 3  # of the .npy file, in both directions


def read_elevation(npz_path):
    """Rows of whole metres out of jacksboro_fault_dem.npz."""
    with zipfile.ZipFile(npz_path) as npz:
        npy = npz.read("elevation.npy")
    (header_length,) = struct.unpack_from("<H", npy, 8)
    header = ast.literal_eval(npy[10 : 10 + header_length].decode("latin1"))
    if header["descr"] != "<i2" or header["fortran_order"]:
        sys.exit(f"{npz_path}: not the expected array of 16-bit integers: {header}")
    rows, columns = header["shape"]
    values = struct.unpack_from(f"<{rows * columns}h", npy, 10 + header_length)
    return [values[r * columns : (r + 1) * columns] for r in range(rows)]


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(path, rows):
    """16-bit grey; the lowest point becomes 0, the highest 65535."""
    low, high = min(map(min, rows)), max(map(max, rows))
    raw = bytearray()
    for row in rows:
        pixels = struct.pack(f">{len(row)}H", *(round((v - low) * 65535 / (high - low)) for v in row))
        # Filter 1 (Sub): each byte less the one a pixel to the left; terrain packs much better that way.
        raw += b"\1" + bytes((b - a) & 0xFF for a, b in zip(b"\0\0" + pixels, pixels))
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 16, 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header))
        file.write(png_chunk(b"IDAT", zlib.compress(bytes(raw), 9)) + png_chunk(b"IEND", b""))
    print(f"{path}: {len(rows[0])} x {len(rows)}, {low} m is black, {high} m is white")


def write_npy(path, rows):
    """float32 metres, format version 1.0."""
    rows = [row[::KEEP_EVERY] for row in rows[::KEEP_EVERY]]
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("ascii"))
        for row in rows:
            file.write(struct.pack(f"<{len(row)}f", *row))
    print(f"{path}: {len(rows[0])} x {len(rows)}, metres")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_input.py jacksboro_fault_dem.npz")
    rows = read_elevation(sys.argv[1])
    write_png("terrain.png", rows)
    write_npy("terrain.npy", rows)


if __name__ == "__main__":
    main()
