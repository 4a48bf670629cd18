// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

/// @file
/// Lets HIP's headers for NVIDIA compile against CUDA 13, which removed or changed a few declarations that their inline
/// wrappers mention. To be included before any HIP header (the build forces it). No call of a stream, an event, a copy
/// or host memory is touched: what is redirected here is not used by this project.

// Whatever must see the real names comes before they are redefined.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#if CUDART_VERSION >= 13000

// Members of the property struct that became attributes.
struct tailrace_cuda_device_prop : cudaDeviceProp {
  int clockRate, computeMode, memoryClockRate, cooperativeMultiDeviceLaunch, kernelExecTimeoutEnabled;
};
inline cudaError_t tailrace_cuda_get_device_properties(tailrace_cuda_device_prop* properties, int device) {
  const auto attribute = [device](int& value, cudaDeviceAttr which) {
    return ::cudaDeviceGetAttribute(&value, which, device);
  };
  properties->cooperativeMultiDeviceLaunch = 0;
  cudaError_t result = ::cudaGetDeviceProperties(static_cast<cudaDeviceProp*>(properties), device);
  if (result == cudaSuccess) result = attribute(properties->clockRate, cudaDevAttrClockRate);
  if (result == cudaSuccess) result = attribute(properties->computeMode, cudaDevAttrComputeMode);
  if (result == cudaSuccess) result = attribute(properties->memoryClockRate, cudaDevAttrMemoryClockRate);
  if (result == cudaSuccess) result = attribute(properties->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout);
  return result;
}

// Calls that take a location where they took a device.
inline cudaMemLocation tailrace_cuda_location(int device) {
  cudaMemLocation location{};
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return location;
}
inline cudaError_t tailrace_cuda_mem_advise(const void* memory, size_t bytes, cudaMemoryAdvise advice, int device) {
  return ::cudaMemAdvise(memory, bytes, advice, tailrace_cuda_location(device));
}
inline cudaError_t tailrace_cuda_mem_prefetch(const void* memory, size_t bytes, int device, cudaStream_t stream) {
  return ::cudaMemPrefetchAsync(memory, bytes, tailrace_cuda_location(device), 0, stream);
}
inline CUresult tailrace_cuda_ctx_create(CUcontext* context, unsigned flags, CUdevice device) {
  return ::cuCtxCreate_v4(context, nullptr, flags, device);
}

// What is gone for good, or changed its arguments in a way that nothing here needs.
struct textureReference;
#ifdef __CUDACC__
template <class T, int Dim, cudaTextureReadMode Mode>
struct texture;
#endif
template <class... A>
cudaError_t tailrace_cuda_gone(A&&...) {
  return cudaErrorNotSupported;
}

#define cudaDeviceProp tailrace_cuda_device_prop
#define cudaGetDeviceProperties tailrace_cuda_get_device_properties
#define cudaMemAdvise tailrace_cuda_mem_advise
#define cudaMemPrefetchAsync tailrace_cuda_mem_prefetch
#undef cuCtxCreate
#define cuCtxCreate tailrace_cuda_ctx_create
#define cudaDevAttrCooperativeMultiDeviceLaunch cudaDevAttrReserved96
#define cudaBindTexture tailrace_cuda_gone
#define cudaBindTexture2D tailrace_cuda_gone
#define cudaGetTextureAlignmentOffset tailrace_cuda_gone
#define cudaUnbindTexture tailrace_cuda_gone
#define cudaLaunchCooperativeKernelMultiDevice tailrace_cuda_gone
#ifdef __CUDACC__
#define cudaGraphAddDependencies tailrace_cuda_gone
#define cudaGraphRemoveDependencies tailrace_cuda_gone
#define cudaGraphGetEdges tailrace_cuda_gone
#define cudaGraphNodeGetDependencies tailrace_cuda_gone
#define cudaGraphNodeGetDependentNodes tailrace_cuda_gone
#define cudaStreamGetCaptureInfo_v2 tailrace_cuda_gone
#define cudaStreamUpdateCaptureDependencies tailrace_cuda_gone
#endif
#endif
