#pragma once

#include "flash/nand/timing.hh"
#include "zng/layout/geometry.hh"

namespace memsim::zng {

/// How a page moves from its register to another plane. `none`: it cannot; each plane uses its own
/// registers. `swnet`: over the flash network, through a controller's buffer. `fcnet`: every
/// register is wired to every plane. `nif`: over a local network, to the data register of that
/// plane.
enum class RegisterNetwork : std::uint8_t { none, swnet, fcnet, nif };
constexpr std::array<std::string_view, 4> names_of(RegisterNetwork) {
    return {"none", "swnet", "fcnet", "nif"};
}
/// Which lines of a page sensed for reads leave the package: the requested ones, or also all others
/// after these.
enum class PageTransfer : std::uint8_t { line, page };
constexpr std::array<std::string_view, 2> names_of(PageTransfer) { return {"line", "page"}; }
/// Which reads one sensing of a page serves: a single one, or all that wait for the page.
enum class PageReuse : std::uint8_t { none, waiting };
constexpr std::array<std::string_view, 2> names_of(PageReuse) { return {"none", "waiting"}; }

} // namespace memsim::zng

namespace memsim::zng::package {

using namespace memsim::literals;

struct Params {
    PackageGeometry geometry;
    Param<unsigned> registers {8, {2, 64}, "Registers per plane", stated("ZnG table I: 2 or 8")};
    Param<unsigned> data_registers {1,
                                    {0, 1},
                                    "Registers per plane that cache no writes",
                                    stated("ZnG IV-C: NiF has a data register")};
    Param<RegisterNetwork> network {RegisterNetwork::nif, "How registers reach other planes",
                                    stated("ZnG IV-C")};
    Param<unsigned> spare {
        32,
        {0, 4096},
        "Registers kept free by early programming, at most a quarter of the shared ones",
        assumed("no source gives it; range 0-128")};
    Param<bool> independent_planes {true, "Planes of a die operate independently",
                                    assumed("each has a row decoder")};
    Param<PageReuse> reuse {PageReuse::waiting, "Which reads one sensing serves",
                            stated("ZnG I: rdopt buffers pages")};
    Param<PageTransfer> transfer {PageTransfer::line,
                                  "Part of a sensed page that is sent over the flash network",
                                  assumed("what a request asks for")};
    Param<Time> patience {200_us,
                          {0_ns, 1_s},
                          "Time after which a waiting program precedes reads",
                          assumed("2 tPROG")};
    Param<unsigned> log_reserve {
        16, {0, 32767}, "Pages left in a log block when the package reports it as low", assumed()};
    Param<Fraction> log_filled {
        0_pct,
        {0_pct, 100_pct},
        "Upper bound of the share of each log block programmed before the run; "
        "the share is drawn uniformly from the seed "
        "(100 %: steady state)",
        assumed("log blocks are empty at the start")};
    Param<Fraction> log_filled_least {
        0_pct,
        {0_pct, 100_pct},
        "Lower bound of the share of each log block programmed before the run",
        assumed("log blocks are empty at the start")};
    Param<bool> fcnet_holds {false,
                             "Keep a page of another plane in fcnet's register until it is "
                             "programmed; otherwise that plane takes the page at once",
                             assumed("a page leaves with the next program")};
    Param<bool> data_path {true, "Model the time of nif's bus from the registers to their plane",
                           stated("ZnG IV-C")};
    Param<bool> io_path {
        true, "Model the time of nif's bus from the registers of a plane to the I/O ports",
        stated("ZnG IV-C")};
    Param<Time> search {
        0_ns, {0_ns, 1_ms}, "Time of an LPMT search before a page is sensed", assumed("within tR")};
    Param<NameOf<flash::NandTiming>> media {"z_nand", "Timing table",
                                            stated("ZnG table I: Z-NAND")};
    Param<std::string> timing_changes {
        "", "Values that replace those of the table, such as 'tR0=3us tBERS=1ms'"};
    Param<Frequency> net_clock {800_MHz,
                                {1_MHz, 100_GHz},
                                "Clock of the register network and its buses (that of the I/O)",
                                stated("ZnG table I: 800 MT/s")};
    Param<Bytes> net_width {8_B,
                            {1_B, 256_B},
                            "Width of the register network and its buses",
                            stated("ZnG table I: HW-NiF 8 B")};
    Param<unsigned> ports {2, {1, 8}, "I/O ports", stated("ZnG table I: 2")};
    Param<unsigned> port_queue {
        16, {1, 4096}, "Packets queued or in flight to a port", queue_places()};
    Param<unsigned> queue {1024,
                           {1, 65536},
                           "Outstanding requests; at least what the "
                           "controllers may send, window x controllers",
                           queue_places()};
    Param<Time> latency {10_ns,
                         {1_fs, 1_us},
                         "Latency of an answer, with decoding and register selection",
                         assumed()};
    Param<unsigned> endpoint {
        0, {0, 65535}, "Endpoint of the first port; the other ports follow", from_wiring()};
    Param<unsigned> controller {
        0,
        {0, 65535},
        "Endpoint of the controller that copies pages and receives reports of low log blocks",
        from_wiring()};
};

} // namespace memsim::zng::package
