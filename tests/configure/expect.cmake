# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Run by ctest. Configures and passes if that ended as it should, and said what it should.
#   cmake -DRESULT=success|failure -DSAYS=<regular expression> [-DLACKS=<regular expression>] -DWORK=<directory>
#         -P expect.cmake -- <arguments to cmake>
# LACKS is what the messages and the commands that compile the library's C++ sources must not have.
set(arguments "")
set(after_separator FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(after_separator)
    string(REPLACE ";" "\\;" argument "${CMAKE_ARGV${i}}")
    list(APPEND arguments "${argument}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(after_separator TRUE)
  endif()
endforeach()

file(REMOVE_RECURSE "${WORK}")
execute_process(COMMAND "${CMAKE_COMMAND}" -B "${WORK}" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON ${arguments}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
message(STATUS "${output}")
set(result failure)
if(status EQUAL 0)
  set(result success)
endif()
if(NOT result STREQUAL RESULT)
  message(FATAL_ERROR "configuring ended in ${result}; it should have been ${RESULT} with: ${SAYS}")
endif()
# CMake wraps its messages.
string(REGEX REPLACE "[ \n]+" " " output "${output}")
if(NOT output MATCHES "${SAYS}")
  message(FATAL_ERROR "configuring ended in ${result}, but without saying: ${SAYS}")
endif()

if(LACKS)
  file(STRINGS "${WORK}/compile_commands.json" commands REGEX "\"command\": .*\\.cpp")
  if(NOT commands)
    message(FATAL_ERROR "there is no command that compiles C++")
  endif()
  foreach(text IN LISTS output commands)
    if(text MATCHES "${LACKS}")
      message(FATAL_ERROR "there should be no '${CMAKE_MATCH_0}' in: ${text}")
    endif()
  endforeach()
endif()
