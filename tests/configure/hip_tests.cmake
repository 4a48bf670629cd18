# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Which HIP is taken, and with what it is compiled.
set(library_only -DTAILRACE_BUILD_TESTS=OFF -DTAILRACE_BUILD_TOOL=OFF)
set(amd -DTAILRACE_BACKEND=hip ${library_only})
set(nvidia ${amd} -DTAILRACE_HIP_PLATFORM=nvidia "-DCUDAToolkit_ROOT=${layouts}/cuda")
set(any_hip "-DCMAKE_PREFIX_PATH=${layouts}/rocm")
set(as_hip "__HIP__|-x hip|--offload-arch")
set(cray "CXX=${layouts}/cray/CC" CRAYPE_VERSION=2.7.30)

# Where it is.
tailrace_add_configure_test(finds_hip_by_the_prefix_path accepted
  "HIP 6.0.1 on AMD: [^ ]*/layouts/rocm/lib" LACKS "${as_hip}" OPTIONS ${amd} ${any_hip})
foreach(platform amd nvidia)
  tailrace_add_configure_test(finds_hip_by_ROCM_PATH_for_${platform} accepted
    "HIP [^:]*: [^ ]*/layouts/rocm/" ENVIRONMENT "ROCM_PATH=${layouts}/rocm" OPTIONS ${${platform}})
  tailrace_add_configure_test(refuses_two_versions_of_hip_for_${platform} refused
    "ROCM_PATH or HIP_PATH is [^ ]*/other_rocm, but HIP was found in [^ ]*/layouts/rocm/.*Fix: "
    ENVIRONMENT "ROCM_PATH=${layouts}/other_rocm" OPTIONS ${${platform}} ${any_hip})
endforeach()
tailrace_add_configure_test(finds_hip_by_HIP_PATH accepted
  "HIP 6.0.1 on AMD: [^ ]*/layouts/rocm5/hip/" ENVIRONMENT "HIP_PATH=${layouts}/rocm5/hip" OPTIONS ${amd})
tailrace_add_configure_test(does_not_replace_the_hip_of_ROCM_PATH refused
  "ROCM_PATH.*Fix: " ENVIRONMENT "ROCM_PATH=${layouts}/nowhere" OPTIONS ${amd})

# Which of two vendors.
set(both ${library_only} ${any_hip} "-DCUDAToolkit_ROOT=${layouts}/cuda")
tailrace_add_configure_test(takes_cuda_of_both_toolkits accepted
  "CUDA 13[^:]*: [^ ]*/layouts/cuda/bin" LACKS "HIP [0-9o]|layouts/rocm/" OPTIONS ${both} -DTAILRACE_BACKEND=cuda)
tailrace_add_configure_test(takes_hip_of_both_toolkits accepted
  "HIP 6.0.1 on AMD" LACKS "CUDA [0-9]|layouts/cuda/" OPTIONS ${both} -DTAILRACE_BACKEND=hip)
tailrace_add_configure_test(takes_hip_on_nvidia_of_both_toolkits accepted
  "HIP on NVIDIA: [^ ]*/layouts/rocm/include.*CUDA 13[^:]*: [^ ]*/layouts/cuda/bin" LACKS "__HIP_PLATFORM_AMD__"
  OPTIONS ${nvidia} ${any_hip})
tailrace_add_configure_test(names_a_missing_cuda_toolkit_of_hip refused
  "'hip' needs the CUDA toolkit.*not found.*Fix: "
  OPTIONS ${nvidia} ${any_hip} -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON)
tailrace_add_configure_test(names_missing_headers_of_hip refused
  "'hip' on NVIDIA needs HIP's headers.*not found.*Fix: "
  OPTIONS ${nvidia} "-DCMAKE_IGNORE_PATH=/usr/include$<SEMICOLON>/opt/rocm/include")

# The environment's platform.
tailrace_add_configure_test(follows_HIP_PLATFORM accepted "HIP on NVIDIA"
  ENVIRONMENT HIP_PLATFORM=nvidia OPTIONS ${amd} ${any_hip} "-DCUDAToolkit_ROOT=${layouts}/cuda")
tailrace_add_configure_test(accepts_the_same_HIP_PLATFORM accepted "HIP 6.0.1 on AMD"
  ENVIRONMENT HIP_PLATFORM=amd OPTIONS ${amd} ${any_hip} -DTAILRACE_HIP_PLATFORM=amd)
foreach(pair amd/nvidia nvidia/amd)
  get_filename_component(platform ${pair} DIRECTORY)
  get_filename_component(other ${pair} NAME)
  tailrace_add_configure_test(refuses_another_HIP_PLATFORM_than_${platform} refused
    "TAILRACE_HIP_PLATFORM is '${platform}'.*HIP_PLATFORM is '${other}'.*Fix: "
    ENVIRONMENT HIP_PLATFORM=${other} OPTIONS ${amd} ${any_hip} -DTAILRACE_HIP_PLATFORM=${platform})
endforeach()
tailrace_add_configure_test(refuses_an_unknown_HIP_PLATFORM refused "HIP_PLATFORM is 'spirv'.*Fix: "
  ENVIRONMENT HIP_PLATFORM=spirv OPTIONS ${amd} ${any_hip})

# The C++ compiler.
tailrace_add_configure_test(accepts_the_wrapper_of_cray accepted "HIP 6.0.1 on AMD" LACKS "${as_hip}"
  ENVIRONMENT ${cray} OPTIONS ${amd} ${any_hip})
tailrace_add_configure_test(refuses_a_compiler_that_makes_all_hip refused "layouts/hipcc.*as HIP device code.*Fix: "
  OPTIONS ${amd} ${any_hip} "-DCMAKE_CXX_COMPILER=${layouts}/hipcc")
tailrace_add_configure_test(refuses_flags_that_make_all_hip refused "'-D__HIP__' compiles.*as HIP device code.*Fix: "
  ENVIRONMENT CXXFLAGS=-D__HIP__ OPTIONS ${amd} ${any_hip})

# The compiler of device code, and for what it compiles.
if(any_clang)
  set(kernels -DTAILRACE_BACKEND=hip -DTAILRACE_BUILD_TESTS=OFF ${any_hip})
  set(llvm "${layouts}/rocm/llvm/bin")
  tailrace_add_configure_test(takes_the_compiler_of_rocm accepted
    "HIP device code: [^ ]*/rocm/llvm/bin/amdclang\\+\\+ for [^ ]*gfx90a" LACKS "${as_hip}"
    ENVIRONMENT ${cray} OPTIONS ${kernels})
  tailrace_add_configure_test(keeps_the_compiler_that_is_given accepted
    "HIP device code: [^ ]*/llvm/bin/newclang\\+\\+ for gfx908 " OPTIONS ${kernels}
    "-DCMAKE_HIP_COMPILER=${llvm}/newclang++" -DCMAKE_HIP_ARCHITECTURES=gfx908)
  tailrace_add_configure_test(keeps_the_compiler_of_the_environment accepted
    "HIP device code: [^ ]*/llvm/bin/newclang\\+\\+ for gfx906 "
    ENVIRONMENT "HIPCXX=${llvm}/newclang++" CRAY_ACCEL_TARGET=amd_gfx906 OPTIONS ${kernels})
endif()
