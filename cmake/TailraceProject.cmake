# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# What every target of this project has in common, and how it asks for its dependencies.

# tailrace_require(<package> <its name in prose> <Debian package>): find_package() whose failure says what to install.
macro(tailrace_require package prose debian)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "tailrace needs ${prose} (CMake package ${package}), which was not found. "
      "Fix: apt-get install ${debian}, or add its prefix to CMAKE_PREFIX_PATH.")
  endif()
endmacro()

set(TAILRACE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651).
  list(APPEND TAILRACE_WARNINGS -Wno-restrict)
endif()
if(TAILRACE_WERROR)
  list(APPEND TAILRACE_WARNINGS -Werror)
endif()

if(TAILRACE_SANITIZE)
  # Only our own directories: these calls do not reach a parent project.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TAILRACE_SANITIZE};-fno-omit-frame-pointer>")
  add_link_options("-fsanitize=${TAILRACE_SANITIZE}")
  if(TAILRACE_SANITIZE MATCHES "undefined")
    # Without this a report would leave a test's exit status at 0.
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=undefined>")
  endif()
endif()

# tailrace_warnings(<target>...): the project's warnings, for C++ sources of our own only.
function(tailrace_warnings)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${TAILRACE_WARNINGS}>")
  endforeach()
endfunction()
