// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "backends/gpu/pci.hpp"

#include <charconv>
#include <fstream>
#include <locale>
#include <sstream>
#include <string_view>

namespace tailrace::inline TAILRACE_ABI::backend {

namespace {

/// The text of an attribute up to the first blank: "32.0 GT/s PCIe" gives "32.0".
std::string attribute(const std::string& folder, std::string_view name) {
  std::ifstream file{folder + std::string{name}};
  std::string word;
  file >> word;
  return word;
}

std::optional<int> integer(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> decimal(const std::string& text) {
  std::istringstream stream{text};
  stream.imbue(std::locale::classic());  // the application's locale may write decimals with a comma
  double value = 0;
  if (!(stream >> value)) return std::nullopt;
  return value;
}

/// Lanes carry one bit a transfer, of which the line code takes its part: 128b/130b from 8 GT/s on, 8b/10b below.
double gbytes_per_s(double gigatransfers, int lanes) {
  const double code = gigatransfers >= 8 ? 128.0 / 130.0 : 0.8;
  return gigatransfers * lanes / 8 * code;
}

/// Reads the pair of attributes "current_link_..." or "max_link_...".
void describe_link(const std::string& attributes, std::string& text, std::optional<double>& bandwidth) {
  const std::string speed = attribute(attributes, "speed");
  const auto gigatransfers = decimal(speed);
  const auto lanes = integer(attribute(attributes, "width"));
  if (!gigatransfers || !lanes || *gigatransfers <= 0 || *lanes <= 0) return;
  text = "PCIe " + speed + " GT/s x" + std::to_string(*lanes);
  bandwidth = gbytes_per_s(*gigatransfers, *lanes);
}

}  // namespace

void describe_pci(const std::string& address, DeviceInfo& info, const std::string& devices) {
  const std::string folder = devices + "/" + address + "/";
  info.pci_address = address;
  const auto node = integer(attribute(folder, "numa_node"));
  if (node && *node >= 0) info.numa_node = node;  // -1: the machine has one node, or the firmware does not say
  describe_link(folder + "current_link_", info.link, info.link_gbytes_per_s);
  describe_link(folder + "max_link_", info.link_max, info.link_max_gbytes_per_s);
}

}  // namespace tailrace::inline TAILRACE_ABI::backend
