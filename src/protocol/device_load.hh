#pragma once

#include "core/kernel/port.hh"

#include <algorithm>

/// QoS telemetry of CXL: the load reported by a device.
namespace memsim::protocol {

/// The two bits of a response's DevLoad field, in order (CXL 3.1, 3.3.4).
enum class DevLoad : std::uint8_t { light, optimal, moderate, severe };
constexpr std::array<std::string_view, 4> names_of(DevLoad) {
    return {"light", "optimal", "moderate", "severe"};
}

/// The load of a queue: light below a quarter of its places, optimal below a half, moderate below
/// three quarters, else severe (assumption: CXL leaves it to the device).
constexpr DevLoad load_of(std::uint64_t waiting, std::uint64_t places) {
    return static_cast<DevLoad>(std::min<std::uint64_t>(4 * waiting / places, 3));
}

/// Sent by a medium to its endpoint when the medium's load changes, and by a root port to traffic
/// controllers with each response.
struct DeviceLoad {
    static constexpr std::uint32_t largest_wire_bytes = 1;

    DevLoad load = DevLoad::light;
};

} // namespace memsim::protocol
