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
  add_library(tailrace_demo_device STATIC)
  tailrace_device_sources(tailrace_demo_device "${PROJECT_SOURCE_DIR}/backends/gpu/heat.cu")
  target_include_directories(tailrace_demo_device PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(tailrace_demo_device PUBLIC tailrace::tailrace)
endif()
