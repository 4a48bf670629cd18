# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# The devices that kernels are compiled for. Without a GPU, CMake has no default of its own, and one from the machine that
# builds would not run elsewhere. So, unless CMAKE_HIP_ARCHITECTURES says it: the accelerator of Cray's loaded module, or
# every device of the list that both the compiler and its device libraries know.

if(CMAKE_HIP_ARCHITECTURES)
  return()
endif()
if("$ENV{CRAY_ACCEL_TARGET}" MATCHES "^amd_(gfx[0-9a-f]+)$")
  set(CMAKE_HIP_ARCHITECTURES ${CMAKE_MATCH_1})
  return()
endif()

set(CMAKE_HIP_ARCHITECTURES gfx90a)
if(CMAKE_HIP_COMPILER)
  set(hip_compiler "${CMAKE_HIP_COMPILER}")
else()
  separate_arguments(hip_compiler UNIX_COMMAND "$ENV{HIPCXX}")
endif()
if(NOT hip_compiler)
  return()
endif()
separate_arguments(hip_flags UNIX_COMMAND "${CMAKE_HIP_FLAGS_INIT} ${CMAKE_HIP_FLAGS}")
# Instinct MI50/60, MI100, MI300A/X before and since its final stepping, MI350; Radeon RX 6800-6900, 7900, 7700-7800,
# 7600, Strix Halo, RX 9060, 9070. gfx90a is the MI200.
foreach(architecture gfx906 gfx908 gfx940 gfx942 gfx950 gfx1030 gfx1100 gfx1101 gfx1102 gfx1151 gfx1200 gfx1201)
  execute_process(COMMAND ${hip_compiler} ${hip_flags} -x hip --offload-arch=${architecture}
    --cuda-device-only -c /dev/null -o /dev/null RESULT_VARIABLE unknown OUTPUT_QUIET ERROR_QUIET)
  if(unknown EQUAL 0)
    list(APPEND CMAKE_HIP_ARCHITECTURES ${architecture})
  endif()
endforeach()
if("gfx942" IN_LIST CMAKE_HIP_ARCHITECTURES)
  list(REMOVE_ITEM CMAKE_HIP_ARCHITECTURES gfx940)
endif()
