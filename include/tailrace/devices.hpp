// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#pragma once

#include <tailrace/config.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tailrace::inline TAILRACE_ABI {

/// What a device says of itself. What the driver does not answer is empty.
struct DeviceInfo {
  std::string name{};
  std::string architecture{};                     ///< "sm_90", "gfx90a", "host"
  std::size_t memory_bytes = 0;                   ///< device memory, total
  std::string pci_address{};                      ///< "0000:3b:00.0"; empty if it is not a PCI device
  std::optional<int> numa_node{};                 ///< of the PCI slot
  std::optional<double> link_gbytes_per_s{};      ///< one direction, from link width and speed as now negotiated
  std::string link{};                             ///< "PCIe 32.0 GT/s x16"; many devices lower the speed while idle
  std::optional<double> link_max_gbytes_per_s{};  ///< one direction, from the most that the device itself can do
  std::string link_max{};                         ///< the same as text
  bool integrated = false;                        ///< host and device memory are one; a readback copies all the same
};

/// Names a device by its ordinal. A small value; it holds no resource and changes no current device.
class TAILRACE_EXPORT Device {
 public:
  /// @throws Error (Errc::no_device) if there is no such device or no usable driver; the text says which
  explicit Device(int ordinal);

  [[nodiscard]] int ordinal() const noexcept { return ordinal_; }
  /// @throws Error (Errc::driver_error)
  [[nodiscard]] DeviceInfo info() const;

  /// Number of devices; 0 without a device or a driver. Leaves no last error behind.
  [[nodiscard]] static int count() noexcept;
  /// The calling thread's current device.
  /// @throws Error (Errc::no_device)
  [[nodiscard]] static Device current();

  friend bool operator==(Device, Device) noexcept = default;

 private:
  int ordinal_;
};

/// The backend of this build: the value of TAILRACE_BACKEND.
[[nodiscard]] TAILRACE_EXPORT std::string_view backend_name() noexcept;
/// Version of the vendor's runtime library and of the driver, as text; "none" for a driver that is not there.
[[nodiscard]] TAILRACE_EXPORT std::string runtime_version();
[[nodiscard]] TAILRACE_EXPORT std::string driver_version();
/// Version of tailrace, "major.minor.patch", of the library that is linked (TAILRACE_VERSION_STRING: of the headers).
[[nodiscard]] TAILRACE_EXPORT std::string_view version() noexcept;

}  // namespace tailrace::inline TAILRACE_ABI
