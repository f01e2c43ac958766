#pragma once

#include "core/kernel/component.hh"
#include "cxl/link/controller.hh"
#include "cxl/link/link_layer.hh"
#include "cxl/link/mode256.hh"
#include "cxl/link/physical.hh"

namespace memsim::cxl {

enum class FlitSize : std::uint8_t { bytes_68, bytes_256, bytes_256_optimised };
constexpr std::array<std::string_view, 3> names_of(FlitSize) {
    return {"68B", "256B", "256B-lopt"};
}

/// What one end of a link is built with; the two ends of a link must agree.
struct LinkParams {
    using group = void;
    Param<PolicyName<Controller>> controller {"ours", "Latencies of its layers"};
    Param<FlitSize> flit {FlitSize::bytes_68,
                          "Flits: of 68 bytes with a retry in the link layer, or of 256 bytes, "
                          "standard or latency-optimised, with a replay in the physical layer"};
    Param<unsigned> generation {
        5, {3, 6}, "PCIe generation of the lanes: 8, 16, 32, 64 GT/s each; 6 with 256-byte flits"};
    Param<unsigned> port_lanes {16, {1, 16}, "Lanes that the port has", power_of_two()};
    Param<unsigned> lanes {
        8, {1, 16}, "Lanes that the link uses", power_of_two(), at_most(port_lanes)};
    Param<bool> sync_bypass {true, "Whether blocks go without their sync headers"};
    Param<unsigned> skp_blocks {340,
                                {0, 1u << 20},
                                "Blocks of 16 bytes a lane from one SKP ordered set to the next: "
                                "340 with the bypass, 375 without; 0: no ordered sets"};
    Param<Time> flight {1_ns, {0_fs, 1_us}, "Time of a signal along the wires", assumed()};
    Param<std::uint64_t> bit_errors {
        0, {0, BitErrors::unit / 10}, "Bits received wrongly of 10^15", cited("PCIe allows 1000")};
    Param<unsigned> retry_buffer {128,
                                  {RetryBuffer::least, RetryBuffer::most},
                                  "Flits kept until they are acknowledged",
                                  assumed("128")};
    Param<unsigned> credits {
        64, {4, 65536}, "Places for messages received, of each class", assumed()};
    Param<Time> flush {
        500_ns, {1_ns, 1_ms}, "Credits and acknowledgements are sent no later", assumed()};
    Param<unsigned> timeout {4096,
                             {64, 1u << 20},
                             "Flits' times until a request for a retry is repeated (CXL 3.1: no "
                             "less than 4096), or until 256-byte flits are replayed"};
    Param<unsigned> most_retries {
        100,
        {1, 31 * 31},
        "Requests for one flit, or replays, after which the link has failed",
        cited("CXL 3.1: 10 retries, 10 times")};

    Rate rate() const { return lanes_rate(generation, lanes, sync_bypass); }
    bool large_flits() const { return flit() != FlitSize::bytes_68; }
    std::uint32_t bytes_of_flit() const { return large_flits() ? Flit256::bytes : flit_bytes; }
    Time flit_time() const {
        return {static_cast<Tick>(bytes_of_flit() * Int128 {ticks_per_second} / rate().raw)};
    }
    /// From packing a flit to its link layer at the other end, but for its time on the wires.
    Time crossing() const {
        const LayerLatencies l = layers_of(controller());
        return l.all() + flight() + l.lower();
    }
    /// From a complete message to the request or answer on a memory port.
    Time delivery() const { return layers_of(controller()).upper(); }
};

/// What the ports of a component take from its `link` (core/kernel/port.hh); a latency is 1 fs at
/// least.
template <class Params>
struct LinkSettings {
    static const LinkParams& of(const void* params) {
        return static_cast<const Params*>(params)->link;
    }
    static Time crossing(const void* p) { return std::max(of(p).crossing(), Time {1}); }
    static Time delivery(const void* p) { return std::max(of(p).delivery(), Time {1}); }
    static Rate rate(const void* p) { return of(p).rate(); }
    static unsigned unlimited(const void*) { return ~0u; }
};

struct LinkStats {
    using group = void;
    Counter flits {Unit::count, "Flits sent, of all kinds"};
    Counter control_flits {Unit::count, "Flits sent without messages or data"};
    Counter replayed_flits {Unit::count, "Flits sent again"};
    Counter wire_bytes {Unit::byte,
                        "Bytes sent over the wires by flits and by the ordered sets between flits"};
    Counter data_bytes {Unit::byte, "Data of messages packed into flits"};
    Counter errors {Unit::count, "Flits received with an error that is not corrected"};
    Counter corrected {Unit::count, "Flits received with errors that the FEC corrects"};
    Counter undetected {
        Unit::count, "Flits with an error that the CRC does not find; they are treated as found"};
    Counter dropped {Unit::count, "Flits without an error that came behind one, and come again"};
};

} // namespace memsim::cxl
