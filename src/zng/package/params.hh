#pragma once

#include "flash/nand/timing.hh"
#include "zng/layout/geometry.hh"

namespace memsim::zng {

/// How a page gets from its register to another plane. `none`: not at all, each plane has its
/// registers for itself. `swnet`: over the flash network, through a controller's buffer. `fcnet`:
/// every register is wired to every plane. `nif`: to the data register of that plane, over a local
/// network.
enum class RegisterNetwork : std::uint8_t { none, swnet, fcnet, nif };
constexpr std::array<std::string_view, 4> names_of(RegisterNetwork) {
    return {"none", "swnet", "fcnet", "nif"};
}
/// What of a page that was sensed for reads leaves the package: the lines that they ask for, or,
/// after these, all others.
enum class PageTransfer : std::uint8_t { line, page };
constexpr std::array<std::string_view, 2> names_of(PageTransfer) { return {"line", "page"}; }
/// Which reads one sensing of a page serves: one, or all that wait for the page then.
enum class PageReuse : std::uint8_t { none, waiting };
constexpr std::array<std::string_view, 2> names_of(PageReuse) { return {"none", "waiting"}; }

} // namespace memsim::zng

namespace memsim::zng::package {

using namespace memsim::literals;

struct Params {
    PackageGeometry geometry;
    Param<unsigned> registers {8, {2, 64}, "Registers of a plane", stated("ZnG table I: 2 or 8")};
    Param<unsigned> data_registers {1,
                                    {0, 1},
                                    "Registers of a plane that cache no writes",
                                    stated("ZnG IV-C: NiF has a data register")};
    Param<RegisterNetwork> network {RegisterNetwork::nif, "How registers reach other planes",
                                    stated("ZnG IV-C")};
    Param<unsigned> spare {
        32,
        {0, 4096},
        "Registers kept free by programming ahead, at most a quarter of those that are shared",
        assumed("no source gives it; range 0-128")};
    Param<bool> independent_planes {true, "Planes of a die work without each other",
                                    assumed("each has a row decoder")};
    Param<PageReuse> reuse {PageReuse::waiting, "Which reads one sensing serves"};
    Param<PageTransfer> transfer {PageTransfer::line,
                                  "What of a page that was sensed crosses the flash network"};
    Param<Time> patience {200_us,
                          {0_ns, 1_s},
                          "Time that a program waits before it goes ahead of reads",
                          assumed("2 tPROG")};
    Param<unsigned> log_reserve {
        16,
        {0, 32767},
        "Pages left of a log block when the collector gets a message about it",
        assumed()};
    Param<Fraction> log_filled {0_pct,
                                {0_pct, 100_pct},
                                "Pages of each log block programmed before the run at most: how "
                                "much is drawn from the seed, "
                                "any as likely (100 %: as in the long run)"};
    Param<Fraction> log_filled_least {
        0_pct, {0_pct, 100_pct}, "Pages of each log block programmed before the run at least"};
    Param<bool> fcnet_holds {false,
                             "Whether fcnet's register holds a page of another plane until it is "
                             "programmed; otherwise that plane takes it at once"};
    Param<bool> data_path {true, "Whether nif's bus from the registers to their plane takes time",
                           stated("ZnG IV-C")};
    Param<bool> io_path {
        true, "Whether nif's bus from the registers of a plane to the I/O ports takes time",
        stated("ZnG IV-C")};
    Param<Time> search {
        0_ns, {0_ns, 1_ms}, "Search of the LPMT before a page is sensed", assumed("within tR")};
    Param<NameOf<flash::NandTiming>> media {"z_nand", "Timing table"};
    Param<std::string> timing_changes {"", "Figures to replace, as 'tR0=3us tBERS=1ms'"};
    Param<Frequency> net_clock {
        800_MHz, {1_MHz, 100_GHz}, "Clock of the register network and its buses (as the I/O)"};
    Param<Bytes> net_width {8_B,
                            {1_B, 256_B},
                            "Width of the register network and its buses",
                            stated("ZnG table I: HW-NiF 8 B")};
    Param<unsigned> ports {2, {1, 8}, "I/O ports", stated("ZnG table I: 2")};
    Param<unsigned> port_queue {16, {1, 4096}, "Packets waiting or in flight to a port"};
    Param<unsigned> queue {1024,
                           {1, 65536},
                           "Requests without an answer: as many as "
                           "controllers may send, window x controllers"};
    Param<Time> latency {
        10_ns, {1_fs, 1_us}, "Latency of an answer, decoding and register selection", assumed()};
    Param<unsigned> endpoint {0, {0, 65535}, "Endpoint of the first port; the others follow"};
    Param<unsigned> controller {
        0,
        {0, 65535},
        "Endpoint of the controller that copies pages and gets messages about full logs"};
};

} // namespace memsim::zng::package
