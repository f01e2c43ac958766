#pragma once

#include "core/port.hh"

/// QoS telemetry of CXL: how busy a device says that it is.
namespace memsim::protocol {

/// The two bits of a response's DevLoad field, in their order (CXL 3.1, 3.3.4).
enum class DevLoad : std::uint8_t { light, optimal, moderate, severe };
constexpr std::array<std::string_view, 4> names_of(DevLoad) {
    return {"light", "optimal", "moderate", "severe"};
}

/// A medium tells its endpoint each time that its own load changes, and a root port tells who
/// controls its traffic what came with each response.
struct DeviceLoad {
    static constexpr std::uint32_t largest_wire_bytes = 1;

    DevLoad load = DevLoad::light;
};

} // namespace memsim::protocol
