# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# HIP's headers over CUDA's toolkit.

find_path(TAILRACE_HIP_INCLUDE_DIR hip/hip_runtime_api.h HINTS ${TAILRACE_ROCM_HINTS} PATH_SUFFIXES include
  DOC "Folder of HIP's headers")
if(NOT TAILRACE_HIP_INCLUDE_DIR)
  message(FATAL_ERROR "The backend 'hip' on NVIDIA needs HIP's headers (hip/hip_runtime_api.h), which were not found. "
    "Fix: apt-get install libamdhip64-dev, or set ROCM_PATH, CMAKE_PREFIX_PATH or TAILRACE_HIP_INCLUDE_DIR.")
endif()
tailrace_check_rocm_root("HIP" "${TAILRACE_HIP_INCLUDE_DIR}")
message(STATUS "HIP on NVIDIA: ${TAILRACE_HIP_INCLUDE_DIR}")
include(TailraceCuda)

# Which of HIP's types the handles are.
set(TAILRACE_VENDOR_DEFINITIONS __HIP_PLATFORM_NVIDIA__=1)
# Every source, whoever includes what first, must see the same platform; and a compiler that has no option to choose
# one is told so before the first HIP header.
add_compile_definitions(${TAILRACE_VENDOR_DEFINITIONS})
target_include_directories(tailrace_vendor SYSTEM INTERFACE "${TAILRACE_HIP_INCLUDE_DIR}" ${CUDAToolkit_INCLUDE_DIRS})
target_compile_options(tailrace_vendor INTERFACE
  "SHELL:-include ${PROJECT_SOURCE_DIR}/backends/hip/nvidia_compat.hpp")
