#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors
"""PyTorch: .cpu(), which makes its destination; copy_() into one that was touched, pageable or pinned.
torch_peer.py OUT.json"""

import peer

path = peer.out_path()
numpy = peer.need("numpy")
torch = peer.need("torch")
if not torch.cuda.is_available():
    peer.skip("PyTorch finds no GPU. Fix: run it on one, or install its build for this device")

report = peer.Report("torch", torch.__version__)


def on_device(size):
    expected = peer.pattern(numpy, size)
    source = torch.from_numpy(expected.view(numpy.int32)).cuda()
    torch.cuda.synchronize()
    return source, lambda found: peer.require_equal(numpy, found.numpy().view(numpy.uint32), expected)


def into_pinned(source, destination):
    destination.copy_(source, non_blocking=True)
    torch.cuda.synchronize()
    return destination


source, check = on_device(peer.LARGE)
pageable = torch.ones_like(source, device="cpu")
pinned = torch.ones_like(source, device="cpu").pin_memory()
report.large("P2/copy_", lambda _: pageable.copy_(source), check)
report.large("P2/copy_pinned", lambda _: into_pinned(source, pinned), check)
report.large("P3/cpu", lambda _: source.cpu(), check)

source, check = on_device(peer.SMALL)
pinned = torch.ones_like(source, device="cpu").pin_memory()
report.small("P4/cpu", peer.repeated(source.cpu), check)
report.small("P4/copy_pinned", peer.repeated(lambda: into_pinned(source, pinned)), check)
report.write(path)
