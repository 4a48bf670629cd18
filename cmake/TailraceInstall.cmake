# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Install tree: headers, library and a relocatable CMake package.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tailrace")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" "${PROJECT_SOURCE_DIR}/backends/${TAILRACE_BACKEND}/include/"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
install(FILES "${PROJECT_BINARY_DIR}/include/tailrace/config.hpp"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tailrace")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(TARGETS tailrace EXPORT tailraceTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT tailraceTargets NAMESPACE tailrace:: DESTINATION "${package_dir}")

# A program that links the static library links the library's private dependencies too; with the shared one the loader
# does it.
set(TAILRACE_PRIVATE_DEPENDENCIES "")
get_target_property(library_type tailrace TYPE)
if(library_type STREQUAL "STATIC_LIBRARY")
  set(packages Threads TBB ${TAILRACE_VENDOR_PACKAGE})
  list(TRANSFORM packages REPLACE "(.+)" "find_dependency(\\1)")
  list(JOIN packages "\n" TAILRACE_PRIVATE_DEPENDENCIES)
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/tailraceConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/tailraceConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tailraceConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tailraceConfig.cmake" "${PROJECT_BINARY_DIR}/tailraceConfigVersion.cmake"
  DESTINATION "${package_dir}")
