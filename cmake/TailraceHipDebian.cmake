# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Debian spreads ROCm over the system's own folders, where CMake does not find the parts that enable_language(HIP) needs.
# Does nothing unless the HIP package that was found lies there: a ROCm tree of its own needs no help.

if(NOT hip_DIR MATCHES "^(/usr/lib/[^/]+)/cmake/hip$")
  return()
endif()
set(debian_libraries "${CMAKE_MATCH_1}")

# CMake wants <root>/lib/cmake/hip-lang. So make a root that has it, and let it come first, in test projects as well.
set(debian_root "${PROJECT_BINARY_DIR}/rocm-root")
file(MAKE_DIRECTORY "${debian_root}/lib")
if(NOT EXISTS "${debian_root}/lib/cmake")
  file(CREATE_LINK "${debian_libraries}/cmake" "${debian_root}/lib/cmake" SYMBOLIC)
endif()
set(CMAKE_HIP_COMPILER_ROCM_ROOT "${debian_root}")
list(PREPEND CMAKE_PREFIX_PATH "${debian_root}")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CMAKE_PREFIX_PATH CMAKE_HIP_COMPILER_ROCM_ROOT)

# The clang that hipcc was built with; the system's default one may lack AMD's target, or be too new for the libraries.
if(NOT CMAKE_HIP_COMPILER AND "$ENV{HIPCXX}" STREQUAL "")
  find_program(CMAKE_HIP_COMPILER clang++-15 REQUIRED)
endif()
set(CMAKE_HIP_FLAGS_INIT "--rocm-path=/usr --rocm-device-lib-path=${debian_libraries}/amdgcn/bitcode")
