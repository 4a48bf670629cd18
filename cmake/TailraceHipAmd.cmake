# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

find_package(hip QUIET CONFIG HINTS "$ENV{ROCM_PATH}" /opt/rocm)
if(NOT hip_FOUND)
  message(FATAL_ERROR "The backend 'hip' needs HIP (CMake package hip), which was not found. Fix: apt-get install hipcc, "
    "add a ROCm installation to CMAKE_PREFIX_PATH, or choose another TAILRACE_BACKEND.")
endif()
set(TAILRACE_VENDOR_PACKAGE hip)
target_link_libraries(tailrace_vendor INTERFACE hip::amdhip64)
# Not every version of HIP's package says it, and without it the headers do not compile.
target_compile_definitions(tailrace_vendor INTERFACE __HIP_PLATFORM_AMD__=1)

if(TAILRACE_NEEDS_KERNELS)
  include(TailraceHipDebian)
  if(NOT CMAKE_HIP_COMPILER AND "$ENV{HIPCXX}" STREQUAL "")
    get_filename_component(rocm_root "${hip_DIR}/../../.." ABSOLUTE)
    find_program(CMAKE_HIP_COMPILER clang++ HINTS "${rocm_root}/llvm/bin" "${rocm_root}/lib/llvm/bin" NO_DEFAULT_PATH)
    if(NOT CMAKE_HIP_COMPILER)
      unset(CMAKE_HIP_COMPILER CACHE)  # CMake knows more places
    endif()
  endif()

  # Without a GPU, CMake has no default of its own. Newer devices are there if compiler and device libraries know them.
  if(NOT CMAKE_HIP_ARCHITECTURES)
    set(CMAKE_HIP_ARCHITECTURES gfx90a)
    separate_arguments(hip_flags UNIX_COMMAND "${CMAKE_HIP_FLAGS_INIT} ${CMAKE_HIP_FLAGS}")
    foreach(architecture gfx940 gfx942 gfx1030)
      if(CMAKE_HIP_COMPILER)
        execute_process(COMMAND "${CMAKE_HIP_COMPILER}" ${hip_flags} -x hip --offload-arch=${architecture}
          --cuda-device-only -c /dev/null -o /dev/null RESULT_VARIABLE unknown OUTPUT_QUIET ERROR_QUIET)
        if(unknown EQUAL 0)
          list(APPEND CMAKE_HIP_ARCHITECTURES ${architecture})
        endif()
      endif()
    endforeach()
    if("gfx942" IN_LIST CMAKE_HIP_ARCHITECTURES)
      list(REMOVE_ITEM CMAKE_HIP_ARCHITECTURES gfx940)  # an early stepping of the same device
    endif()
  endif()
  enable_language(HIP)
  # CMake repeats the architectures when it links, where nothing is left to compile.
  add_link_options("$<$<LINK_LANGUAGE:HIP>:-Wno-unused-command-line-argument>")
  set(CMAKE_HIP_STANDARD 20)
  set(CMAKE_HIP_STANDARD_REQUIRED ON)
  set(CMAKE_HIP_EXTENSIONS OFF)
  set(TAILRACE_DEVICE_LANGUAGE HIP)
endif()
