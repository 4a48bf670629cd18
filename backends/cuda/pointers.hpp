// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "backends/adapter.hpp"

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

inline cudaError_t cuda_memory_info(const void* pointer, Memory& memory) noexcept {
  cudaPointerAttributes attributes{};
  const cudaError_t result = cudaPointerGetAttributes(&attributes, pointer);
  if (result == cudaSuccess) memory = {cuda_memory_kind(attributes.type), attributes.device};
  return result;
}

/// cuPointerGetAttribute(), which only the driver library has. It is reached through the runtime, so that nothing links
/// that library and a program without a driver still starts. Null without a driver.
inline auto cuda_pointer_attribute_call() noexcept {
  using Call = CUresult (*)(void* data, CUpointer_attribute attribute, CUdeviceptr pointer);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  const cudaError_t result =
      cudaGetDriverEntryPointByVersion("cuPointerGetAttribute", &entry, 12000, cudaEnableDefault, &found);
#else
  const cudaError_t result = cudaGetDriverEntryPoint("cuPointerGetAttribute", &entry, cudaEnableDefault, &found);
#endif
  if (result != cudaSuccess) static_cast<void>(cudaGetLastError());
  return result == cudaSuccess && found == cudaDriverEntryPointSuccess ? reinterpret_cast<Call>(entry) : Call{};
}

/// The allocation or registration that the pointer is in; false if the driver does not tell.
inline bool cuda_address_range(const void* pointer, std::uintptr_t& begin, std::size_t& size) noexcept {
  static const auto attribute = cuda_pointer_attribute_call();
  if (attribute == nullptr) return false;
  const auto address = static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(pointer));
  CUdeviceptr start = 0;
  if (attribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address) != CUDA_SUCCESS) return false;
  if (attribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address) != CUDA_SUCCESS) return false;
  begin = static_cast<std::uintptr_t>(start);
  return true;
}

}  // namespace tailrace::inline TAILRACE_ABI::backend
