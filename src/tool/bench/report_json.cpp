// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the tailrace authors
#include "report.hpp"

#include <nlohmann/json.hpp>

namespace tailrace::tool {
namespace {

using Json = nlohmann::ordered_json;  // in the order in which it was written: people read it too

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json describe_device(const BenchReport& report) {
  const DeviceInfo& device = report.device;
  return {{"ordinal", report.ordinal},
          {"name", device.name},
          {"architecture", device.architecture},
          {"memory_bytes", device.memory_bytes},
          {"integrated", device.integrated},
          {"pci_address", or_null(device.pci_address)},
          {"numa_node", or_null(device.numa_node)},
          {"link", or_null(device.link)},
          {"link_gbytes_per_s", or_null(device.link_gbytes_per_s)},
          {"link_max", or_null(device.link_max)},
          {"link_max_gbytes_per_s", or_null(device.link_max_gbytes_per_s)}};
}

std::string with_unit(const char* name, Quantity quantity) {
  switch (quantity) {
    case Quantity::bandwidth: return std::string{name} + "_gbytes_per_s";
    case Quantity::rate: return std::string{name} + "_readbacks_per_s";
    case Quantity::latency: return std::string{name} + "_us";
  }
  return name;
}

Json describe_figure(const BenchReport& report, const Figure& figure) {
  const Summary summary = summarize(figure.samples);
  Json json{{"label", figure.label},
            {"bytes", figure.bytes},
            {"repetitions", figure.samples.size()},
            {with_unit("median", figure.quantity), summary.median},
            {with_unit("min", figure.quantity), summary.min},
            {with_unit("max", figure.quantity), summary.max}};
  if (figure.quantity == Quantity::bandwidth) {
    json["percent_of_raw_pinned"] = percent_of_pinned(report, figure);
    const auto link = report.device.link_gbytes_per_s;
    json["percent_of_link"] = link ? Json(100 * summary.median / *link) : Json(nullptr);
  }
  if (const Figure* plain = find_figure(report.figures, figure.plain)) {
    json["times_better_than"] = {{"name", plain->name}, {"factor", advantage(figure, *plain)}};
  }
  return json;
}

}  // namespace

std::string bench_json(const BenchReport& report) {
  Json json{{"tailrace_version", report.version},
            {"backend", report.backend},
            {"runtime_version", report.runtime},
            {"driver_version", report.driver},
            {"device", describe_device(report)},
            {"process", {{"copy_threads", report.copy_threads}, {"numa_nodes", report.cpu_nodes}}},
            {"seconds_asked", report.seconds_asked},
            {"seconds_taken", report.seconds_taken},
            {"figures", Json::object()},
            {"notes", report.notes},
            {"warnings", Json::array()}};
  for (const Figure& figure : report.figures) json["figures"][figure.name] = describe_figure(report, figure);
  for (const Warning& warning : report.warnings) {
    json["warnings"].push_back({{"seen", warning.seen}, {"cost", warning.cost}, {"fix", warning.fix}});
  }
  // A device's name is the driver's: bytes that are no text must not cost the report.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tailrace::tool
