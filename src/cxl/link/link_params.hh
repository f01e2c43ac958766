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

/// The configuration of one end of a link; both ends must agree.
struct LinkParams {
    using group = void;
    Param<PolicyName<Controller>> controller {
        "ours", "Controller, which defines the latencies of the layers",
        stated("CXL-GPU: the authors' own controller")};
    Param<FlitSize> flit {FlitSize::bytes_68,
                          "Flits of 68 bytes, with retry in the link layer; or of 256 bytes, "
                          "standard or latency-optimised, with replay in the physical layer",
                          cited("CXL 3.2, section 4.2: flits of 68 bytes, which each version has")};
    Param<unsigned> generation {
        5,
        {3, 6},
        "PCIe generation of the lanes: 8, 16, 32, 64 GT/s each; 6 with 256-byte flits",
        stated("CXL-GPU's table: PCIe 5.0")};
    Param<unsigned> port_lanes {
        16, {1, 16}, "Lanes of the port", power_of_two(), assumed("a port of full width")};
    Param<unsigned> lanes {8,
                           {1, 16},
                           "Lanes used by the link",
                           power_of_two(),
                           at_most(port_lanes),
                           stated("CXL-GPU's table: x8")};
    Param<bool> sync_bypass {true, "Transfer blocks without sync headers",
                             stated("CXL-GPU's table: sync-header bypass")};
    Param<unsigned> skp_blocks {340,
                                {0, 1u << 20},
                                "Blocks of 16 bytes per lane from one SKP ordered set to the next, "
                                "its own included: 340 with the bypass, 375 without; 0: none",
                                cited("CXL 3.2, section 14.6.3: 340 data blocks with the bypass")};
    Param<Time> flight {1_ns, {0_fs, 1_us}, "Propagation time along the wires", assumed()};
    Param<std::uint64_t> bit_errors {
        0,
        {0, BitErrors::unit / 10},
        "Bit errors per 10^15 received bits",
        assumed("a link without errors; PCIe allows 10^-12, here 1000")};
    Param<unsigned> retry_buffer {128,
                                  {RetryBuffer::least, RetryBuffer::most},
                                  "Flits kept until they are acknowledged",
                                  assumed("128")};
    Param<unsigned> credits {64, {4, 65536}, "Places for received messages, per class", assumed()};
    Param<Time> flush {
        500_ns, {1_ns, 1_ms}, "Maximum delay of credits and acknowledgements", assumed()};
    Param<unsigned> timeout {4096,
                             {64, 1u << 20},
                             "Flit times until a retry request is repeated (CXL 3.2: at least "
                             "4096), or until 256-byte flits are replayed",
                             cited("CXL 3.2, section 4.2.8.5.1: no less than 4096 transfers")};
    Param<unsigned> most_retries {
        100,
        {1, 31 * 31},
        "Retry requests for one flit, or replays, after which the link has failed",
        cited("CXL 3.2, section 4.2.8.5.1: at least 10 retries, after each of at least 10 "
              "retrainings")};

    Rate rate() const { return lanes_rate(generation, lanes, sync_bypass); }
    bool large_flits() const { return flit() != FlitSize::bytes_68; }
    std::uint32_t bytes_of_flit() const { return large_flits() ? Flit256::bytes : flit_bytes; }
    Time flit_time() const {
        return {static_cast<Tick>(bytes_of_flit() * Int128 {ticks_per_second} / rate().raw)};
    }
    /// From packing a flit to the link layer of the other end, without the time on the wires.
    Time crossing() const {
        const LayerLatencies l = layers_of(controller());
        return l.all() + flight() + l.lower();
    }
    /// From a complete message to the request or response on a memory port.
    Time delivery() const { return layers_of(controller()).upper(); }
};

/// The settings of a component's ports, from its `link` parameters (core/kernel/port.hh); latencies
/// are at least 1 fs.
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
    Counter replayed_flits {Unit::count, "Flits retransmitted"};
    Counter wire_bytes {Unit::byte, "Bytes sent over the wires by flits and ordered sets"};
    Counter data_bytes {Unit::byte, "Data of messages packed into flits"};
    Counter errors {Unit::count, "Flits received with an uncorrected error"};
    Counter corrected {Unit::count, "Flits received with errors corrected by the FEC"};
    Counter undetected {
        Unit::count,
        "Flits with an error that the CRC does not detect; they are treated as detected"};
    Counter dropped {Unit::count,
                     "Flits without an error that followed a faulty one and are retransmitted"};
};

} // namespace memsim::cxl
