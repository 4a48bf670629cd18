# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Debian spreads ROCm over the system's own folders, where CMake does not find the parts that enable_language(HIP) needs.
# Does nothing unless the HIP package that was found lies there: a ROCm tree of its own needs no help.

if(NOT hip_DIR MATCHES "^(/usr/lib/[^/]+)/cmake/hip$")
  return()
endif()
set(debian_libraries "${CMAKE_MATCH_1}")

# CMake wants <root>/lib/cmake/hip-lang. So make a root that has it.
set(rocm_root "${PROJECT_BINARY_DIR}/rocm-root")
file(MAKE_DIRECTORY "${rocm_root}/lib")
if(NOT EXISTS "${rocm_root}/lib/cmake")
  file(CREATE_LINK "${debian_libraries}/cmake" "${rocm_root}/lib/cmake" SYMBOLIC)
endif()

# The clang that hipcc was built with; the system's default one may lack AMD's target, or be too new for the libraries.
if(NOT CMAKE_HIP_COMPILER AND "$ENV{HIPCXX}" STREQUAL "")
  find_program(CMAKE_HIP_COMPILER clang++-15 REQUIRED)
endif()
set(CMAKE_HIP_FLAGS_INIT "--rocm-path=/usr --rocm-device-lib-path=${debian_libraries}/amdgcn/bitcode")
