# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# HIP on AMD, or HIP on NVIDIA, where HIP's headers map it onto CUDA.

set(TAILRACE_HIP_PLATFORM amd CACHE STRING "Devices of the HIP backend: amd or nvidia")
set_property(CACHE TAILRACE_HIP_PLATFORM PROPERTY STRINGS amd nvidia)

if(TAILRACE_HIP_PLATFORM STREQUAL "amd")
  include(TailraceHipAmd)
elseif(TAILRACE_HIP_PLATFORM STREQUAL "nvidia")
  include(TailraceHipNvidia)
else()
  message(FATAL_ERROR "HIP has no platform '${TAILRACE_HIP_PLATFORM}'. "
    "Fix: set TAILRACE_HIP_PLATFORM to amd or nvidia.")
endif()
