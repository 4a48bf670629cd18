# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# What the backends of both vendors have in common; `tailrace_backend` has the vendor's adapter already.
target_sources(tailrace_backend PRIVATE ../gpu/pci.cpp)
target_include_directories(tailrace_backend PUBLIC
  "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include"
  "${CMAKE_CURRENT_SOURCE_DIR}/include")
# The vendor's runtime stands in the link interface under its own name, so that an exported library can repeat it; the
# rest of tailrace_vendor is for compiling only.
get_target_property(vendor_runtime tailrace_vendor INTERFACE_LINK_LIBRARIES)
set_target_properties(tailrace_backend PROPERTIES
  LINK_LIBRARIES tailrace_vendor INTERFACE_LINK_LIBRARIES "${vendor_runtime}")

if(TAILRACE_BUILD_TOOL)
  # Does not name the library to be linked, as the tool's other parts.
  add_library(tailrace_tool_device STATIC)
  tailrace_device_sources(tailrace_tool_device
    "${PROJECT_SOURCE_DIR}/backends/gpu/heat.cu" "${PROJECT_SOURCE_DIR}/backends/gpu/plain_reader.cu")
  target_compile_features(tailrace_tool_device PUBLIC cxx_std_20)
  target_include_directories(tailrace_tool_device PUBLIC "${PROJECT_SOURCE_DIR}"
    "$<TARGET_PROPERTY:tailrace,INTERFACE_INCLUDE_DIRECTORIES>")
  target_compile_definitions(tailrace_tool_device PRIVATE
    "$<TARGET_PROPERTY:tailrace,INTERFACE_COMPILE_DEFINITIONS>")
endif()
