# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# ROCm: HIP's headers and runtime and, for what has kernels, its compiler.

find_package(hip QUIET CONFIG HINTS ${TAILRACE_ROCM_HINTS})
if(NOT hip_FOUND)
  message(FATAL_ERROR "The backend 'hip' needs HIP (CMake package hip), which was not found. Fix: apt-get install hipcc, "
    "set ROCM_PATH or CMAKE_PREFIX_PATH to a ROCm installation, or choose another TAILRACE_BACKEND.")
endif()
tailrace_check_rocm_root("HIP" "${hip_DIR}")
set(TAILRACE_VENDOR_PACKAGE hip)
# Not hip::device, which has the compiler take every source for HIP.
target_link_libraries(tailrace_vendor INTERFACE hip::amdhip64)
# Not every version of HIP's package says it, and without it the headers do not compile.
target_compile_definitions(tailrace_vendor INTERFACE __HIP_PLATFORM_AMD__=1)
message(STATUS "HIP ${hip_VERSION} on AMD: ${hip_DIR}")

if(TAILRACE_NEEDS_KERNELS)
  get_filename_component(rocm_root "${hip_DIR}/../../.." ABSOLUTE)
  include(TailraceHipDebian)  # gives it such a root

  # CMake would ask the compiler where ROCm is. The test projects of enable_language() must find its packages there too.
  if(NOT CMAKE_HIP_COMPILER_ROCM_ROOT AND EXISTS "${rocm_root}/lib/cmake/hip-lang")
    set(CMAKE_HIP_COMPILER_ROCM_ROOT "${rocm_root}")
  endif()
  list(PREPEND CMAKE_PREFIX_PATH "${rocm_root}")
  list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CMAKE_PREFIX_PATH CMAKE_HIP_COMPILER_ROCM_ROOT)

  if(NOT CMAKE_HIP_COMPILER AND "$ENV{HIPCXX}" STREQUAL "")
    # Versions before 6 also have a folder of HIP alone, beside the compiler's.
    find_program(CMAKE_HIP_COMPILER NAMES amdclang++ clang++ NO_DEFAULT_PATH
      HINTS "${rocm_root}" "${rocm_root}/.." PATH_SUFFIXES llvm/bin lib/llvm/bin)
    if(NOT CMAKE_HIP_COMPILER)
      unset(CMAKE_HIP_COMPILER CACHE)  # CMake knows more places
    endif()
  endif()
  include(TailraceHipTargets)
  enable_language(HIP)
  message(STATUS "HIP device code: ${CMAKE_HIP_COMPILER} for ${CMAKE_HIP_ARCHITECTURES}")
  # CMake repeats the architectures when it links, where nothing is left to compile.
  add_link_options("$<$<LINK_LANGUAGE:HIP>:-Wno-unused-command-line-argument>")
  set(CMAKE_HIP_STANDARD 20)
  set(CMAKE_HIP_STANDARD_REQUIRED ON)
  set(CMAKE_HIP_EXTENSIONS OFF)
  set(TAILRACE_DEVICE_LANGUAGE HIP)
endif()
