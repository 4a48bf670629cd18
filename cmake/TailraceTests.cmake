# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# How tests are declared; tests/CMakeLists.txt says which.
include(GoogleTest)

# Without effect unless a test was built with ThreadSanitizer.
set(test_environment "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/tsan.supp")

# tailrace_add_test_support(<name> [<compile option>...])
# What tests do with a device, in the backend's own terms.
function(tailrace_add_test_support name)
  add_library(${name} STATIC EXCLUDE_FROM_ALL)
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  # Of its users only: the support names streams by handle, and older HIP has no handle of the legacy stream in a source
  # that is compiled for per-thread default streams.
  target_compile_options(${name} INTERFACE ${ARGN})
  target_link_libraries(${name} PUBLIC tailrace_internal GTest::gtest GTest::gmock TBB::tbb Threads::Threads)
  if(TAILRACE_BACKEND STREQUAL "host")
    target_sources(${name} PRIVATE support/host_device.cpp)
  else()
    tailrace_device_sources(${name} support/gpu_device.cpp support/gpu_kernels.cu)
  endif()
  tailrace_warnings(${name})
endfunction()

# The main() of GoogleTest programs, of those that skip where there is no device and of those that do not.
foreach(needs_device 0 1)
  add_library(tailrace_test_main_${needs_device} OBJECT EXCLUDE_FROM_ALL support/main.cpp)
  target_include_directories(tailrace_test_main_${needs_device} PRIVATE
    "${PROJECT_SOURCE_DIR}" "$<TARGET_PROPERTY:tailrace,INTERFACE_INCLUDE_DIRECTORIES>")
  target_compile_definitions(tailrace_test_main_${needs_device} PRIVATE TAILRACE_TEST_NEEDS_DEVICE=${needs_device})
  target_link_libraries(tailrace_test_main_${needs_device} PRIVATE GTest::gtest TBB::tbb)
  tailrace_warnings(tailrace_test_main_${needs_device})
endforeach()

# Most of the time that a test takes to compile goes into headers that nearly all of them have.
set(precompiled_headers
  <gmock/gmock.h> <gtest/gtest.h> <tailrace/tailrace.hpp>
  <algorithm> <atomic> <functional> <future> <latch> <numeric> <string> <thread> <vector>)

# tailrace_cheapen(<program>)
# Makes a test compile fast. What is under test is optimised; a test's own code need not be.
function(tailrace_cheapen program)
  target_compile_options(${program} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-O0>")
  if(TAILRACE_DEVICE_LANGUAGE STREQUAL "HIP")
    # CMake would precompile as the HIP compiler does it, also for the C++ compiler. So it is here that a header that a
    # test forgets is missed.
    return()
  endif()
  get_property(owner GLOBAL PROPERTY TAILRACE_PRECOMPILED_FOR)
  if(owner)
    target_precompile_headers(${program} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${program} PRIVATE ${precompiled_headers})
    set_property(GLOBAL PROPERTY TAILRACE_PRECOMPILED_FOR ${program})
  endif()
endfunction()

# tailrace_add_test(<name> [<source>...] [HOST_ONLY | NO_DEVICE | TWO_DEVICES] [STREAM_KINDS] [LIBRARIES <library>...]
#                   [TIMEOUT <seconds>])
# A GoogleTest program of <name>.cpp and further sources, on top of the library's inside and the test support.
#  HOST_ONLY     needs the host backend (its faults, its internals)
#  NO_DEVICE     runs without a device on every backend
#  TWO_DEVICES   needs two devices; has the label two_devices, by which a machine with one can leave it out
#  STREAM_KINDS  is built for the legacy and, with the vendors' backends, for the per-thread default stream too
function(tailrace_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOST_ONLY;NO_DEVICE;TWO_DEVICES;STREAM_KINDS" "TIMEOUT" "LIBRARIES")
  set_property(GLOBAL APPEND PROPERTY TAILRACE_DECLARED_TESTS ${name})
  if(arg_HOST_ONLY AND NOT TAILRACE_BACKEND STREQUAL "host")
    return()
  endif()
  set(needs_device 1)
  if(arg_NO_DEVICE)
    set(needs_device 0)
  endif()
  set(variants "_")
  if(arg_STREAM_KINDS AND NOT TAILRACE_BACKEND STREQUAL "host")
    list(APPEND variants "_per_thread_")
  endif()
  foreach(variant IN LISTS variants)
    string(REGEX REPLACE "_$" "" variant "${variant}")
    set(program ${name}${variant})
    add_executable(${program} ${name}.cpp ${arg_UNPARSED_ARGUMENTS} $<TARGET_OBJECTS:tailrace_test_main_${needs_device}>)
    target_link_libraries(${program} PRIVATE tailrace_test_support${variant} ${arg_LIBRARIES})
    tailrace_warnings(${program})
    if(variant STREQUAL "")  # the other one has definitions of its own
      tailrace_cheapen(${program})
    endif()
    if(arg_TWO_DEVICES)
      tailrace_discover(${program} "${arg_TIMEOUT}" LABELS two_devices)
    else()
      tailrace_discover(${program} "${arg_TIMEOUT}")
    endif()
    if(needs_device AND NOT arg_TWO_DEVICES)
      set_property(GLOBAL APPEND PROPERTY TAILRACE_DEVICE_TESTS "$<TARGET_FILE:${program}>")
    endif()
  endforeach()
endfunction()

function(tailrace_discover program timeout)
  if(NOT timeout)
    set(timeout 60)
  endif()
  gtest_discover_tests(${program} TEST_PREFIX "${program}." DISCOVERY_MODE PRE_TEST
    PROPERTIES TIMEOUT ${timeout} ENVIRONMENT "${test_environment}" ${ARGN})
endfunction()

# tailrace_add_program_test(<name> [LIBRARIES <library>...] [ARGUMENTS <argument>...])
# A program of its own, <name>.cpp with a main(), judged by its exit status; 77 says that it was skipped. It links what
# is named, by default the library as its users do.
function(tailrace_add_program_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;ARGUMENTS")
  set_property(GLOBAL APPEND PROPERTY TAILRACE_DECLARED_TESTS ${name})
  if(NOT DEFINED arg_LIBRARIES)
    set(arg_LIBRARIES tailrace::tailrace)
  endif()
  add_executable(${name} ${name}.cpp)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  tailrace_warnings(${name})
  add_test(NAME ${name} COMMAND ${name} ${arg_ARGUMENTS})
  # They may end with objects alive, whose threads are then left as they are, ended or not.
  set_tests_properties(${name} PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77
    ENVIRONMENT "${test_environment}:report_thread_leaks=0")
endfunction()
