#include "flash/nand_timing.hh"

#include "parts/with_changes.hh"

namespace memsim::flash {

using namespace memsim::literals;

namespace {

/// ZnG's Table I: 3 us, 100 us, 100,000 erases. Its erase time is not given; assumption: 1 ms, as
/// SLC V-NAND of its kind (sweep 1-5 ms).
const NandTiming z_nand {"ZnG (ISCA 2020), Table I; tBERS is an assumption",
                         1,
                         3_us,
                         3_us,
                         3_us,
                         100_us,
                         100_us,
                         100_us,
                         1_ms,
                         100'000};
/// Micron MT29F2G08AACWP, data sheet: random read 25 us, program page 300 us and block erase 2 ms
/// typical, 100,000 cycles.
const NandTiming slc {"Micron MT29F2G08AACWP, data sheet",
                      1,
                      25_us,
                      25_us,
                      25_us,
                      300_us,
                      300_us,
                      300_us,
                      2_ms,
                      100'000};
/// The default of MQSim's ssdconfig.xml: one time for all pages.
const NandTiming mlc {"MQSim (FAST 2018), default ssdconfig.xml",
                      1,
                      75_us,
                      75_us,
                      75_us,
                      750_us,
                      750_us,
                      750_us,
                      3800_us,
                      10'000};
/// Micron L95B as profiled in an open-channel drive by the authors of FEMU (FAST 2018). Endurance:
/// assumption, as MQSim's MLC.
const NandTiming mlc_l95b {"Micron L95B MLC as measured for FEMU (FAST 2018)",
                           2,
                           48_us,
                           64_us,
                           64_us,
                           850_us,
                           2300_us,
                           2300_us,
                           3_ms,
                           10'000};
/// SimpleSSD (IEEE CAL 2018), as FEMU quotes it. Endurance: assumption, a third of MLC's.
const NandTiming tlc {"SimpleSSD (IEEE CAL 2018), as quoted by FEMU",
                      3,
                      56'500_ns,
                      77'500_ns,
                      106_us,
                      820'500_ns,
                      2225_us,
                      5734_us,
                      3_ms,
                      3'000};

// ONFI's cycles as MQSim's ONFI_Channel_NVDDR2 gives them: tCS 20, tWC 25, tADL 70, tWPST + tWPSTH
// 21, tDBSY 500 ns. tWB and tRR (100 and 20 ns) are latencies of links: the bus is free in them.
constexpr BusTiming cycles(const char* source, Rate rate) {
    return {source, rate, 20_ns, 25_ns, 70_ns, 21_ns, 500_ns};
}
/// 333 MT/s, 8 bit: two bytes every 6 ns.
const BusTiming nv_ddr2_333 = cycles("MQSim's default: NV-DDR2, 333 MT/s x 8", {333'333'333});
const BusTiming nv_ddr2_400 = cycles("ONFI 3.0 NV-DDR2, 400 MT/s x 8", {400'000'000});
const BusTiming nv_ddr3_800 =
    cycles("ONFI 4.0 NV-DDR3, 800 MT/s x 8 (ZnG's Table I: 800 MT/s)", {800'000'000});

} // namespace

const NandTiming& timing_of(NandPreset preset) {
    switch (preset) {
    case NandPreset::z_nand:
        return z_nand;
    case NandPreset::slc:
        return slc;
    case NandPreset::mlc:
        return mlc;
    case NandPreset::mlc_l95b:
        return mlc_l95b;
    case NandPreset::tlc:
        return tlc;
    }
    MEMSIM_ASSERT(false, "an unknown NAND preset");
}

const BusTiming& timing_of(BusPreset preset) {
    switch (preset) {
    case BusPreset::nv_ddr2_333:
        return nv_ddr2_333;
    case BusPreset::nv_ddr2_400:
        return nv_ddr2_400;
    case BusPreset::nv_ddr3_800:
        return nv_ddr3_800;
    }
    MEMSIM_ASSERT(false, "an unknown bus preset");
}

NandTiming with_changes(NandTiming timing, const std::string& changes) {
    return parts::with_changes(timing, changes, "tBERS=1ms");
}

void check(const NandTiming& t) {
    if (t.types < 1 || t.types > 3)
        throw ConfigError("types is " + std::to_string(t.types) + ": a cell has 1 to 3 page types");
    if (t.endurance == 0) throw ConfigError("endurance is 0: it must be at least 1");
    const auto positive = [](Time time, const char* name) {
        if (time.raw <= 0)
            throw ConfigError(std::string(name) + " is " + Text<Time>::show(time) +
                              ": it must be more than 0fs");
    };
    positive(t.tBERS, "tBERS");
    for (unsigned i = 0; i < t.types; ++i) {
        const std::string n = std::to_string(i);
        positive(t.read(i), ("tR" + n).c_str());
        positive(t.program(i), ("tPROG" + n).c_str());
        if (t.program(i) < t.read(i))
            throw ConfigError("tPROG" + n + " is " + Text<Time>::show(t.program(i)) +
                              ", less than tR" + n + " = " + Text<Time>::show(t.read(i)) +
                              ": figures contradict each other");
    }
}

} // namespace memsim::flash
