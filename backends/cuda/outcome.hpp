// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include "backends/adapter.hpp"

#include <cuda_runtime_api.h>

namespace tailrace::inline TAILRACE_ABI::backend {

inline constexpr const char* cuda_wrong_copies_advice =
    "do not use this device: run the vendor's diagnostics on it (dcgmi diag -r 3), and update the driver";

/// What a code of the CUDA runtime, neither success nor "not ready", means.
constexpr Outcome cuda_outcome(int code) noexcept {
  // The capture family is one block of numbers; single members were added over time.
  if (code >= cudaErrorStreamCaptureUnsupported && code <= cudaErrorStreamCaptureWrongThread) return Outcome::capturing;
  switch (code) {
    // The documentation says of these that all further work returns the same error, until the process ends.
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case 226:  // cudaErrorContained, since CUDA 12.9
    case 721:  // cudaErrorTensorMemoryLeak, since CUDA 12.8
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
    // It does not of these, but they come from hardware that failed, or from a context that is gone.
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContextIsDestroyed:
    case cudaErrorDeviceUninitialized:
    case cudaErrorUnknown: return Outcome::device_lost;

    case cudaErrorCudartUnloading: return Outcome::unloading;

    case cudaErrorInitializationError:
    case cudaErrorStubLibrary:
    case cudaErrorInsufficientDriver:
    case cudaErrorDevicesUnavailable:
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorDeviceNotLicensed:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorMpsConnectionFailed:
    case cudaErrorMpsServerNotReady: return Outcome::no_device;

    case cudaErrorMemoryAllocation: return Outcome::out_of_memory;
    case cudaErrorInvalidResourceHandle: return Outcome::bad_handle;
    case cudaErrorNotSupported:
    case cudaErrorCallRequiresNewerDriver: return Outcome::unsupported;
    default: return Outcome::failed;
  }
}

}  // namespace tailrace::inline TAILRACE_ABI::backend
