# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# CUDA's toolkit: for the CUDA backend, and for the HIP backend on NVIDIA.

find_package(CUDAToolkit 12 QUIET)
if(NOT CUDAToolkit_FOUND)
  message(FATAL_ERROR "The backend '${TAILRACE_BACKEND}' needs the CUDA toolkit, version 12 or newer, which was not "
    "found. Fix: install it, set CUDAToolkit_ROOT to where it is, or choose another TAILRACE_BACKEND.")
endif()

message(STATUS "CUDA ${CUDAToolkit_VERSION}: ${CUDAToolkit_BIN_DIR}")
set(TAILRACE_VENDOR_PACKAGE CUDAToolkit)

# The static runtime: whoever uses the library needs no more than the driver.
if(CMAKE_CUDA_RUNTIME_LIBRARY STREQUAL "Shared")
  target_link_libraries(tailrace_vendor INTERFACE CUDA::cudart)
else()
  target_link_libraries(tailrace_vendor INTERFACE CUDA::cudart_static)
endif()

if(TAILRACE_NEEDS_KERNELS)
  if(NOT CMAKE_CUDA_COMPILER AND "$ENV{CUDACXX}" STREQUAL "" AND CUDAToolkit_NVCC_EXECUTABLE)
    set(CMAKE_CUDA_COMPILER "${CUDAToolkit_NVCC_EXECUTABLE}")
  endif()
  if(NOT CMAKE_CUDA_COMPILER AND "$ENV{CUDACXX}" STREQUAL "")
    message(FATAL_ERROR "The backend '${TAILRACE_BACKEND}' needs nvcc for the tool, the tests and the benchmarks, which "
      "was not found in ${CUDAToolkit_BIN_DIR}. Fix: install the toolkit's compiler, set CUDACXX, or switch off "
      "TAILRACE_BUILD_TOOL, TAILRACE_BUILD_TESTS and TAILRACE_BUILD_BENCHMARKS.")
  endif()
  if(NOT CMAKE_CUDA_ARCHITECTURES AND "$ENV{CUDAARCHS}" STREQUAL "")
    set(CMAKE_CUDA_ARCHITECTURES 80 90)  # newer devices compile the intermediate code that is kept beside it
  endif()
  enable_language(CUDA)
  if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    # CMake older than nvcc's C++20 does not know how to ask for it.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_EXTENSIONS OFF)
  set(TAILRACE_DEVICE_LANGUAGE CUDA)
endif()
