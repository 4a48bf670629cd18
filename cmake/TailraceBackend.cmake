# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Finds the toolkit that TAILRACE_BACKEND asks for, and nothing else: the other vendor's may be there too. To be included
# by the top-level project, because a language is enabled for the directories below.
#
#   tailrace_vendor         interface library: the vendor's headers, runtime library and definitions; empty for host
#   TAILRACE_VENDOR_PACKAGE the CMake package that it comes from; empty for host
#   TAILRACE_VENDOR_DEFINITIONS
#                           what programs must define to see the vendor's handles as the library does
#   tailrace_device_sources(<target> <source>...)
#                           adds sources that hold kernels to a target, in the device language

# Kernels are in the tool, the tests and the benchmarks. The library itself needs only a C++ compiler.
set(TAILRACE_NEEDS_KERNELS FALSE)
if(TAILRACE_BUILD_TOOL OR TAILRACE_BUILD_TESTS OR TAILRACE_BUILD_BENCHMARKS)
  set(TAILRACE_NEEDS_KERNELS TRUE)
endif()

set(TAILRACE_DEVICE_LANGUAGE CXX)
set(TAILRACE_VENDOR_PACKAGE "")
set(TAILRACE_VENDOR_DEFINITIONS "")
add_library(tailrace_vendor INTERFACE)
if(TAILRACE_BACKEND STREQUAL "cuda")
  include(TailraceCuda)
elseif(TAILRACE_BACKEND STREQUAL "hip")
  include(TailraceHip)
endif()

function(tailrace_device_sources target)
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE ${TAILRACE_DEVICE_LANGUAGE})
  target_sources(${target} PRIVATE ${ARGN})
  target_link_libraries(${target} PRIVATE tailrace_vendor)
endfunction()
