// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "backends/adapter.hpp"
#include "backends/cuda/driver_calls.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace tailrace::inline TAILRACE_ABI::backend {

inline MemoryKind cuda_memory_kind(cudaMemoryType type) noexcept {
  switch (type) {
    case cudaMemoryTypeHost: return MemoryKind::pinned;
    case cudaMemoryTypeDevice: return MemoryKind::device;
    case cudaMemoryTypeManaged: return MemoryKind::managed;
    case cudaMemoryTypeUnregistered: break;
  }
  return MemoryKind::pageable;
}

inline cudaError_t cuda_memory_info_by_runtime(const void* pointer, Memory& memory) noexcept {
  cudaPointerAttributes attributes{};
  const cudaError_t result = cudaPointerGetAttributes(&attributes, pointer);
  if (result == cudaSuccess) memory = {cuda_memory_kind(attributes.type), attributes.device};
  return result;
}

inline CUdeviceptr cuda_address(const void* pointer) noexcept {
  return static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(pointer));
}

/// The driver says at once that memory is of a device, which is what nearly every pointer is asked for. The rest is the
/// runtime's: it knows more kinds, and all the errors.
inline cudaError_t cuda_memory_info(const void* pointer, Memory& memory) noexcept {
  const auto attributes = CudaDriver::get().pointer_attributes;
  if (attributes == nullptr) return cuda_memory_info_by_runtime(pointer, memory);
  unsigned type = 0;
  unsigned managed = 0;  // the driver writes one byte, or four
  int device = -1;
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* values[] = {&type, &managed, &device};
  const CUresult result = attributes(3, names, values, cuda_address(pointer));
  if (result != CUDA_SUCCESS || type != CU_MEMORYTYPE_DEVICE || managed != 0) {
    return cuda_memory_info_by_runtime(pointer, memory);
  }
  memory = {MemoryKind::device, device};
  return cudaSuccess;
}

/// The allocation or registration that the pointer is in; false if the driver does not tell.
inline bool cuda_address_range(const void* pointer, std::uintptr_t& begin, std::size_t& size) noexcept {
  const auto attribute = CudaDriver::get().pointer_attribute;
  if (attribute == nullptr) return false;
  CUdeviceptr start = 0;
  if (attribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, cuda_address(pointer)) != CUDA_SUCCESS) return false;
  if (attribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, cuda_address(pointer)) != CUDA_SUCCESS) return false;
  begin = static_cast<std::uintptr_t>(start);
  return true;
}

}  // namespace tailrace::inline TAILRACE_ABI::backend
