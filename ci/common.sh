# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors
# shellcheck shell=bash disable=SC2034 # the variables are for the scripts that source this
# What the scripts of this folder share; sourced by them.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc)

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# nvcc and hipcc are often installed without being on the PATH.
for toolkit in /usr/local/cuda/bin /opt/rocm/bin; do
  [[ -d $toolkit && :$PATH: != *:$toolkit:* ]] && PATH+=:$toolkit
done

have() { command -v "$1" > /dev/null; }

# The backend of the hardware that is present and can be compiled for.
detect_backend() {
  if [[ -e /dev/nvidiactl ]] && have nvcc; then
    echo cuda
  elif [[ -e /dev/kfd ]] && have hipcc; then
    echo hip
  else
    echo host
  fi
}

# The CMake variable that says which device to compile for: an AMD one is named gfx..., an NVIDIA one by a number.
architecture_option() {
  case $1 in
    gfx*) echo "-DCMAKE_HIP_ARCHITECTURES=$1" ;;
    *) echo "-DCMAKE_CUDA_ARCHITECTURES=$1" ;;
  esac
}

# Debian package of each tool and library that is missing, for the backend $1.
missing_packages() {
  have c++ || echo g++
  have cmake || echo cmake
  have ninja || echo ninja-build
  local packages=(libtbb-dev libgtest-dev libcli11-dev libpng-dev nlohmann-json3-dev) package
  [[ $1 == hip ]] && ! have hipcc && packages+=(hipcc)
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || echo "$package"
  done
}

# install_packages <package>...: as root with apt-get; otherwise says what is missing.
install_packages() {
  [[ $# -gt 0 ]] || return 0
  [[ $(id -u) -eq 0 ]] || die "missing packages. Fix: sudo apt-get install $*"
  echo "installing: $*"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" > /dev/null
}

# Makes sure that backend $1 can be built. Dependencies that come from CMAKE_PREFIX_PATH are left to CMake to find.
prepare() {
  [[ $1 =~ ^(host|cuda|hip)$ ]] || die "no backend '$1'. Fix: --backend host, cuda or hip"
  if [[ -z ${CMAKE_PREFIX_PATH:-} ]] && have dpkg-query; then
    # shellcheck disable=SC2046 # one word a package
    install_packages $(missing_packages "$1")
  fi
  [[ $1 != cuda ]] || have nvcc || die "no nvcc. Fix: install the CUDA toolkit, or put its bin folder on the PATH"
}

# quietly <command>...: shows the output only if the command fails.
quietly() {
  local output
  output=$("$@" 2>&1) || { printf '%s\n' "$output" >&2; die "failed: $*"; }
}
