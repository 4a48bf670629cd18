# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# HIP on AMD, or HIP on NVIDIA, where HIP's headers map it onto CUDA.
#
#   TAILRACE_ROCM_HINTS  where HIP is looked for besides CMAKE_PREFIX_PATH, first choice first
#   tailrace_check_rocm_root(<what was found> <where>)
#                        refuses what lies outside of the installation that the environment names

# HIP's package, compilers and headers all follow this variable of the environment.
set(hip_platform "$ENV{HIP_PLATFORM}")
set(default_platform amd)
if(hip_platform MATCHES "^(amd|nvidia)$")
  set(default_platform "${hip_platform}")
endif()
set(TAILRACE_HIP_PLATFORM ${default_platform} CACHE STRING "Devices of the HIP backend: amd or nvidia")
set_property(CACHE TAILRACE_HIP_PLATFORM PROPERTY STRINGS amd nvidia)
if(NOT TAILRACE_HIP_PLATFORM MATCHES "^(amd|nvidia)$")
  message(FATAL_ERROR "HIP has no platform '${TAILRACE_HIP_PLATFORM}'. "
    "Fix: set TAILRACE_HIP_PLATFORM to amd or nvidia.")
endif()
if(hip_platform AND NOT hip_platform STREQUAL TAILRACE_HIP_PLATFORM)
  message(FATAL_ERROR "TAILRACE_HIP_PLATFORM is '${TAILRACE_HIP_PLATFORM}', but the environment's HIP_PLATFORM is "
    "'${hip_platform}', which HIP's own tools and headers follow. Fix: set both to the same, or unset HIP_PLATFORM.")
endif()
# Where they are not told, they guess from what else is installed.
set(HIP_PLATFORM ${TAILRACE_HIP_PLATFORM})
set(CMAKE_HIP_PLATFORM ${TAILRACE_HIP_PLATFORM})

set(TAILRACE_ROCM_HINTS "")
foreach(variable ROCM_PATH HIP_PATH)
  if(NOT "$ENV{${variable}}" STREQUAL "")
    list(APPEND TAILRACE_ROCM_HINTS "$ENV{${variable}}")
  endif()
endforeach()
list(APPEND TAILRACE_ROCM_HINTS /opt/rocm)

function(tailrace_check_rocm_root what path)
  list(GET TAILRACE_ROCM_HINTS 0 named)
  if("$ENV{ROCM_PATH}$ENV{HIP_PATH}" STREQUAL "")
    return()
  endif()
  file(REAL_PATH "${path}" found)
  file(REAL_PATH "${named}" root)
  string(REGEX REPLACE "/hip$" "" root "${root}")  # HIP_PATH of versions before 6
  cmake_path(IS_PREFIX root "${found}" inside)
  if(NOT inside)
    message(FATAL_ERROR "The environment's ROCM_PATH or HIP_PATH is ${named}, but ${what} was found in ${path}; the "
      "compilers follow the environment, and two versions must not be mixed. Fix: set ROCM_PATH and CMAKE_PREFIX_PATH "
      "to the same installation (in a new build folder), or unset ROCM_PATH and HIP_PATH.")
  endif()
endfunction()

# Compiler wrappers and CXXFLAGS that turn C++ into HIP are common; the sources of the library are C++ for the host.
file(WRITE "${PROJECT_BINARY_DIR}/CMakeFiles/host_only.cpp"
  "#ifdef __HIP__\n#error compiled as HIP\n#endif\nint main() {}\n")
try_compile(TAILRACE_CXX_IS_HOST_ONLY "${PROJECT_BINARY_DIR}/CMakeFiles/host_only"
  "${PROJECT_BINARY_DIR}/CMakeFiles/host_only.cpp" OUTPUT_VARIABLE host_only_output)
if(host_only_output MATCHES "compiled as HIP")
  unset(TAILRACE_CXX_IS_HOST_ONLY CACHE)
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} with the flags '${CMAKE_CXX_FLAGS}' compiles every C++ source as HIP device "
    "code. Fix: give a C++ compiler (amdclang++, g++, CC) instead of hipcc, and leave -x hip and --offload-arch out of "
    "CXXFLAGS and CMAKE_CXX_FLAGS; CMAKE_HIP_ARCHITECTURES chooses the devices.")
endif()

if(TAILRACE_HIP_PLATFORM STREQUAL "amd")
  include(TailraceHipAmd)
else()
  include(TailraceHipNvidia)
endif()
