# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Run by ctest. Passes if every test that DOCUMENT names is a test of the build tree BUILD, but for the programs OTHERS,
# which other builds have, and if its rows are numbered from 1 to ROWS.
#   cmake -DDOCUMENT=... -DBUILD=... -DOTHERS=<list> -DROWS=<number> -P names_exist.cmake
cmake_minimum_required(VERSION 3.24)
file(READ "${DOCUMENT}" text)
execute_process(COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${BUILD}" --show-only
  OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)

string(REGEX MATCHALL "`([a-z_]+_test\\.[A-Za-z]+\\.[A-Za-z0-9]+|(configure|consumer)\\.[a-z_]+)`" names "${text}")
list(LENGTH names count)
if(count LESS ROWS)
  message(FATAL_ERROR "only ${count} tests are named in ${DOCUMENT}")
endif()
set(missing "")
foreach(name IN LISTS names)
  string(REPLACE "`" "" name "${name}")
  string(REGEX REPLACE "\\..*" "" program "${name}")
  string(FIND "${listed}" ": ${name}\n" found)
  if(found EQUAL -1 AND NOT program IN_LIST OTHERS)
    string(APPEND missing "\n  ${name}")
  endif()
endforeach()
foreach(row RANGE 1 ${ROWS})
  string(FIND "${text}" "\n| ${row} | " found)
  if(found EQUAL -1)
    string(APPEND missing "\n  row ${row}")
  endif()
endforeach()
if(missing)
  message(FATAL_ERROR "${DOCUMENT} and the tests do not agree; missing:${missing}")
endif()
message(STATUS "${count} names, ${ROWS} rows")
