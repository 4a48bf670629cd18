# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Runs a benchmark for a moment. Google Benchmark's exit status does not say that a benchmark failed; its JSON does.
#   cmake -DPROGRAM=<program> -DOUT=<JSON file> -P smoke.cmake
execute_process(COMMAND "${PROGRAM}" --benchmark_min_time=0.001 "--benchmark_out=${OUT}" --benchmark_out_format=json
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${result}")
endif()
file(READ "${OUT}" json)
string(JSON count LENGTH "${json}" benchmarks)
if(count EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} has no benchmark")
endif()
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON name GET "${json}" benchmarks ${i} name)
  string(JSON failed ERROR_VARIABLE absent GET "${json}" benchmarks ${i} error_occurred)
  if(absent)
    set(failed OFF)
  endif()
  if(failed)
    string(JSON message GET "${json}" benchmarks ${i} error_message)
    message(FATAL_ERROR "${name}: ${message}")
  endif()
endforeach()
