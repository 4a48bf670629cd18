#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Puts a CUDA compiler and runtime from PyPI's packages under the given folder, for machines that only compile. They hold
# everything that nvcc needs, but not the lib64 folder and the unversioned library that CMake looks for.
#   ci/cuda-toolkit.sh FOLDER; prints the toolkit's root
set -euo pipefail
folder=${1:?the folder to put the toolkit in}
toolkit=$folder/nvidia/cu13

if [[ ! -x $toolkit/bin/nvcc ]]; then
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-compile --target "$folder" \
    nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-runtime==13.0.96 \
    nvidia-cuda-cccl==13.0.85 nvidia-nvtx==13.0.85 >&2
  ln -sfn lib "$toolkit/lib64"
  ln -sfn libcudart.so.13 "$toolkit/lib/libcudart.so"
fi
echo "$toolkit"
