// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/devices.hpp>

#include <string>

namespace tailrace::inline TAILRACE_ABI::backend {

/// Fills in what the kernel knows of the PCI device at @p address ("0000:3b:00.0"): address, NUMA node and link. What
/// it does not tell, as in many containers, stays empty.
/// @param devices  the folder in which the kernel shows its PCI devices
void describe_pci(const std::string& address, DeviceInfo& info, const std::string& devices = "/sys/bus/pci/devices");

}  // namespace tailrace::inline TAILRACE_ABI::backend
