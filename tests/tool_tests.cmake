# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Tests of the command line tool: its parts, and the program as its users see it.
find_package(ZLIB REQUIRED)
find_package(nlohmann_json REQUIRED)
set(shipped_input "${PROJECT_SOURCE_DIR}/docs/examples/input")

foreach(part input npy_read png_read)
  tailrace_add_test(tool_${part}_test NO_DEVICE LIBRARIES tailrace_tool_parts ZLIB::ZLIB)
endforeach()
target_compile_definitions(tool_input_test PRIVATE "TAILRACE_SHIPPED_INPUT=\"${shipped_input}\"")
tailrace_add_test(tool_report_test LIBRARIES tailrace_tool_parts)
tailrace_add_test(tool_info_test HOST_ONLY LIBRARIES tailrace_tool_parts tailrace_internal)

# The benchmark's parts. The library comes once more, behind what uses it.
foreach(part node pattern plan report warnings)
  tailrace_add_test(tool_bench_${part}_test NO_DEVICE
    LIBRARIES tailrace_tool_parts nlohmann_json::nlohmann_json tailrace_internal)
endforeach()
tailrace_add_test(tool_bench_reads_test LIBRARIES tailrace_tool_parts tailrace_tool_device tailrace_internal)

add_test(NAME tool_cli_test COMMAND "${CMAKE_COMMAND}"
  "-DTOOL=$<TARGET_FILE:tailrace_tool>" "-DINPUT=${shipped_input}" "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/tool_cli_test"
  -P "${CMAKE_CURRENT_SOURCE_DIR}/tool_cli_test.cmake")
set_tests_properties(tool_cli_test PROPERTIES TIMEOUT 120 ENVIRONMENT "${test_environment}")
