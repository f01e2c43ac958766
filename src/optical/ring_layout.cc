#include "optical/ring_layout.hh"

#include <algorithm>
#include <array>

namespace memsim::optical {

namespace {

using enum Endpoint;
using enum Path;
using enum Role;
using enum Coupling;

constexpr std::uint8_t none = 0;

constexpr std::array<Ring, 24> layout {{
    {controller, forward, transmitter, full, plain},
    {controller, forward, transmitter, half, swap}, // leaves light for the memory route
    {controller, forward, receiver, full, none},
    {controller, forward, receiver, half, auto_rw},
    {controller, backward, transmitter, full, none},
    {controller, backward, transmitter, half, none},
    {controller, backward, receiver, full, plain},
    {controller, backward, receiver, half, auto_rw},
    {dram, forward, transmitter, full, none},
    {dram, forward, transmitter, half, none},
    {dram, forward, receiver, full, plain},
    {dram, forward, receiver, half, auto_rw},
    {dram, backward, transmitter, full, plain},
    {dram, backward, transmitter, half, none},
    {dram, backward, receiver, full, none},
    {dram, backward, receiver, half, auto_rw | reverse_write},
    {xpoint, forward, transmitter, full, swap | reverse_write}, // XPoint to DRAM
    {xpoint, forward, transmitter, half, none},
    {xpoint, forward, receiver, full, plain},
    {xpoint, forward, receiver, half, auto_rw | swap},
    {xpoint, backward, transmitter, full, plain},
    {xpoint, backward, transmitter, half, reverse_write},
    {xpoint, backward, receiver, full, none},
    {xpoint, backward, receiver, half, auto_rw | swap}, // DRAM to XPoint
}};

} // namespace

std::span<const Ring> general_layout() { return layout; }

unsigned rings_of(std::uint8_t functions) {
    return static_cast<unsigned>(
        std::ranges::count_if(layout, [&](const Ring& r) { return r.needed_by & functions; }));
}

unsigned rings_at(Endpoint endpoint, std::uint8_t functions) {
    return static_cast<unsigned>(std::ranges::count_if(layout, [&](const Ring& r) {
        return r.endpoint == endpoint && (r.needed_by & functions);
    }));
}

unsigned rings_passed(std::uint8_t functions, Path path, Endpoint from, Endpoint to) {
    const auto ends = std::minmax(from, to);
    const auto on_the_way = std::ranges::count_if(layout, [&](const Ring& r) {
        return r.path == path && (r.needed_by & functions) && r.endpoint >= ends.first &&
               r.endpoint <= ends.second;
    });
    return on_the_way > 2 ? static_cast<unsigned>(on_the_way) - 2 : 0;
}

} // namespace memsim::optical
