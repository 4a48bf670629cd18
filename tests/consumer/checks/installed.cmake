# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Run by ctest. Installs the build tree BUILD, builds and runs the consumer project SOURCE against the install tree,
# then moves that tree and does it again.
#   cmake -DBUILD=... -DSOURCE=... -DWORK=... -DCONFIG=... -DBACKEND=... -DOPTIONS=...
#     -P installed.cmake
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(build_consumer name prefix)
  set(ENV{CMAKE_PREFIX_PATH} "${prefix}:$ENV{CMAKE_PREFIX_PATH}")
  run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/${name}" ${OPTIONS})
  file(STRINGS "${WORK}/${name}/CMakeCache.txt" found REGEX "^tailrace_DIR:")
  if(NOT found MATCHES "=${prefix}/")
    message(FATAL_ERROR "the consumer took another tailrace than the one under test: ${found}")
  endif()
  run("${CMAKE_COMMAND}" --build "${WORK}/${name}")
  run("${WORK}/${name}/consumer" "${BACKEND}")
endfunction()

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/installed" --config "${CONFIG}")
build_consumer(consumer "${WORK}/installed")
file(RENAME "${WORK}/installed" "${WORK}/moved")
build_consumer(consumer-of-moved "${WORK}/moved")
