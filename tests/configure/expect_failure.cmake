# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Run by ctest. Passes if configuring fails and says why.
#   cmake -DEXPECT=<regular expression> -DWORK=<directory> -P expect_failure.cmake -- <arguments to cmake>
set(arguments "")
set(after_separator FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(after_separator)
    list(APPEND arguments "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(after_separator TRUE)
  endif()
endforeach()

file(REMOVE_RECURSE "${WORK}")
execute_process(COMMAND "${CMAKE_COMMAND}" -B "${WORK}" ${arguments}
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
message(STATUS "${output}")
if(result EQUAL 0)
  message(FATAL_ERROR "configuring succeeded; it should have failed with: ${EXPECT}")
endif()
# CMake wraps its messages.
string(REGEX REPLACE "[ \n]+" " " output "${output}")
if(NOT output MATCHES "${EXPECT}")
  message(FATAL_ERROR "configuring failed, but without saying: ${EXPECT}")
endif()
