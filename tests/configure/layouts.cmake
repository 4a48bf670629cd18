# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Toolkits as they lie elsewhere, as far as configuring looks at them. Made in the folder "layouts".
#
#   rocm, other_rocm   ROCm in a folder of its own; the first one has compilers, which work if any_clang was found
#   rocm5              ROCm before 6, as HIP_PATH names it: HIP in its subfolder hip
#   cuda               CUDA's toolkit
#   cray/CC, hipcc     compiler drivers: one adds to the command as a loaded module has it do, one compiles all as HIP
set(layouts "${CMAKE_CURRENT_BINARY_DIR}/layouts")

function(tailrace_write_program path)
  list(JOIN ARGN "\n" lines)
  file(WRITE "${path}" "#!/bin/sh\n${lines}\n")
  file(CHMOD "${path}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

foreach(root rocm other_rocm rocm5/hip)
  # hip::device as it is: it would have every source that links it compiled as HIP.
  file(WRITE "${layouts}/${root}/lib/cmake/hip/hip-config.cmake" [[
add_library(hip::amdhip64 INTERFACE IMPORTED)
add_library(hip::device INTERFACE IMPORTED)
target_compile_options(hip::device INTERFACE -x hip --offload-arch=gfx90a)
]])
  file(WRITE "${layouts}/${root}/lib/cmake/hip/hip-config-version.cmake" [[
set(PACKAGE_VERSION 6.0.1)
set(PACKAGE_VERSION_COMPATIBLE TRUE)
]])
  file(WRITE "${layouts}/${root}/include/hip/hip_runtime_api.h" "")
endforeach()

tailrace_write_program("${layouts}/cuda/bin/nvcc" "echo 'Cuda compilation tools, release 13.0, V13.0.88'")
foreach(file include/cuda_runtime.h lib64/libcudart.so lib64/libcudart_static.a)
  file(WRITE "${layouts}/cuda/${file}" "")
endforeach()
file(WRITE "${layouts}/cuda/include/cuda.h" "#define CUDA_VERSION 13000\n")

tailrace_write_program("${layouts}/cray/CC" "exec '${CMAKE_CXX_COMPILER}' -D__CRAYXT_COMPUTE_LINUX_TARGET \"$@\"")
tailrace_write_program("${layouts}/hipcc" "exec '${CMAKE_CXX_COMPILER}' -D__HIP__ \"$@\"")

# Compiles HIP without ROCm's headers and device libraries: that is all a compiler is asked for when it is tried.
find_program(any_clang NAMES clang++-15 clang++-19 clang++ NO_CACHE)
foreach(name clang++ amdclang++ newclang++)
  tailrace_write_program("${layouts}/rocm/llvm/bin/${name}" "exec '${any_clang}' -nogpuinc -nogpulib \"$@\"")
endforeach()
file(WRITE "${layouts}/rocm/lib/cmake/hip-lang/hip-lang-config.cmake" "add_library(hip-lang::device INTERFACE IMPORTED)\n")
