#include "flash/nand/timing.hh"

#include "device_parts/with_changes.hh"

namespace memsim::flash {

using namespace memsim::literals;

namespace {

/// ZnG's Table I: 3 us, 100 us, 100,000 erases. Its erase time is not given; assumption: 1 ms, like
/// comparable SLC V-NAND (sweep 1-5 ms).
const Named<NandTiming> z_nand {"z_nand",
                                {
                                    .source = "ZnG (ISCA 2020), Table I; tBERS is an assumption",
                                    .types = 1,
                                    .tR0 = 3_us,
                                    .tR1 = 3_us,
                                    .tR2 = 3_us,
                                    .tPROG0 = 100_us,
                                    .tPROG1 = 100_us,
                                    .tPROG2 = 100_us,
                                    .tBERS = 1_ms,
                                    .endurance = 100'000,
                                }};
/// Micron MT29F2G08AACWP, data sheet: random read 25 us, program page 300 us and block erase 2 ms
/// typical, 100,000 cycles.
const Named<NandTiming> slc {"slc",
                             {
                                 .source = "Micron MT29F2G08AACWP, data sheet",
                                 .types = 1,
                                 .tR0 = 25_us,
                                 .tR1 = 25_us,
                                 .tR2 = 25_us,
                                 .tPROG0 = 300_us,
                                 .tPROG1 = 300_us,
                                 .tPROG2 = 300_us,
                                 .tBERS = 2_ms,
                                 .endurance = 100'000,
                             }};
/// The default of MQSim's ssdconfig.xml: one time for all pages.
const Named<NandTiming> mlc {"mlc",
                             {
                                 .source = "MQSim (FAST 2018), default ssdconfig.xml",
                                 .types = 1,
                                 .tR0 = 75_us,
                                 .tR1 = 75_us,
                                 .tR2 = 75_us,
                                 .tPROG0 = 750_us,
                                 .tPROG1 = 750_us,
                                 .tPROG2 = 750_us,
                                 .tBERS = 3800_us,
                                 .endurance = 10'000,
                             }};
/// Micron L95B as profiled in an open-channel drive by the authors of FEMU (FAST 2018). Endurance:
/// assumption, as MQSim's MLC.
const Named<NandTiming> mlc_l95b {"mlc_l95b",
                                  {
                                      .source = "Micron L95B MLC as measured for FEMU (FAST 2018)",
                                      .types = 2,
                                      .tR0 = 48_us,
                                      .tR1 = 64_us,
                                      .tR2 = 64_us,
                                      .tPROG0 = 850_us,
                                      .tPROG1 = 2300_us,
                                      .tPROG2 = 2300_us,
                                      .tBERS = 3_ms,
                                      .endurance = 10'000,
                                  }};
/// SimpleSSD (IEEE CAL 2018), as FEMU quotes it. Endurance: assumption, a third of MLC's.
const Named<NandTiming> tlc {"tlc",
                             {
                                 .source = "SimpleSSD (IEEE CAL 2018), as quoted by FEMU",
                                 .types = 3,
                                 .tR0 = 56'500_ns,
                                 .tR1 = 77'500_ns,
                                 .tR2 = 106_us,
                                 .tPROG0 = 820'500_ns,
                                 .tPROG1 = 2225_us,
                                 .tPROG2 = 5734_us,
                                 .tBERS = 3_ms,
                                 .endurance = 3'000,
                             }};

// ONFI's cycle times as in MQSim's ONFI_Channel_NVDDR2: tCS 20, tWC 25, tADL 70, tWPST + tWPSTH 21,
// tDBSY 500 ns. tWB and tRR (100 and 20 ns) are latencies of links, during which the bus is free.
constexpr BusTiming cycles(const char* source, Rate rate) {
    return {source, rate, 20_ns, 25_ns, 70_ns, 21_ns, 500_ns};
}
/// 333 MT/s, 8 bit: two bytes every 6 ns.
const Named<BusTiming> nv_ddr2_333 {
    "nv_ddr2_333", cycles("MQSim's default: NV-DDR2, 333 MT/s x 8", {333'333'333})};
const Named<BusTiming> nv_ddr2_400 {"nv_ddr2_400",
                                    cycles("ONFI 3.0 NV-DDR2, 400 MT/s x 8", {400'000'000})};
const Named<BusTiming> nv_ddr3_800 {
    "nv_ddr3_800",
    cycles("ONFI 4.0 NV-DDR3, 800 MT/s x 8 (ZnG's Table I: 800 MT/s)", {800'000'000})};

} // namespace

NandTiming with_changes(NandTiming timing, const std::string& changes) {
    return device_parts::with_changes(timing, changes, "tBERS=1ms");
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
                              ": the values contradict each other");
    }
}

} // namespace memsim::flash
