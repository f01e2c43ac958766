#pragma once

#include "core/kernel/component.hh"
#include "flash/hbf/geometry.hh"

namespace memsim::flash {

using namespace memsim::literals;

/// Organisation of a stack of High Bandwidth Flash.
struct HbfShape {
    using group = void;
    Param<unsigned> channels {16,
                              {1, 64},
                              "Host channels",
                              cited("OCP HBF architecture v0.7.0 (2026), organisation: up to 16")};
    Param<unsigned> dies {16,
                          {1, 64},
                          "Dies; each has banks of every channel",
                          cited("OCP HBF architecture v0.7.0 (2026), organisation: 16")};
    Param<unsigned> banks {8,
                           {1, 64},
                           "Banks (planes or sub-arrays) of a die that a channel has",
                           cited("DASH (arXiv 2608.14333), device parameters: 32 planes of 4 "
                                 "sub-arrays a die; over 16 channels")
                               .swept("2", "6", "16")};
    Param<unsigned> blocks {
        64, {1, 1u << 20}, "Blocks of a bank", inferred("512 GiB of 2048 banks, 1024 pages each")};
    Param<unsigned> pages {
        1024,
        {1, 32768},
        "Pages of a block",
        cited("FLINT (arXiv 2608.25062), device parameters: blocks of 1024 pages of 4 KB")};
    Param<Bytes> page {4_KiB,
                       {256_B, 16_KiB},
                       "Size of a page, which a sense reads and a program writes",
                       cited("OCP HBF architecture v0.7.0 (2026), organisation: 4096 B"),
                       power_of_two()};

    /// A channel as its host names it.
    protocol::FlashGeometry of_host() const {
        return {1, dies(), banks(), blocks(), pages(), 0, {}};
    }
};

/// The share of the addresses that a stack has, if its connection does not state it.
struct HbfShare {
    using group = void;
    Param<unsigned> interleave_ways {
        0, {0, 4096}, "Stacks or channels that share the addresses in turn; 0: not stated"};
    Param<unsigned> interleave_index {
        0,
        {0, 4095},
        "Number of this stack among those that share the addresses, below interleave_ways"};
    Param<Bytes> interleave_granularity {
        0_B,
        {0_B, 1_GiB},
        "Consecutive addresses of one stack of those that share them; 0B: not stated"};
    Param<unsigned> hash_rounds {0,
                                 {0, 4096},
                                 "Rounds in which a hash deals addresses, as of mem.Crossbar; "
                                 "interleave_ways and interleave_granularity are then stated",
                                 from_wiring()};
};

/// Times of a stack's arrays and wires.
struct HbfTimes {
    using group = void;
    Param<Time> t_read {
        3_us,
        {1_fs, 1_ms},
        "Time of a sense, tR",
        cited("DASH (arXiv 2608.14333), device parameters: 3 us; papers of 2026 assume 1 to 30 us")
            .swept("1us", "5us", "10us", "20us"),
        Change::tunable};
    Param<Time> t_program {100_us,
                           {1_fs, 100_ms},
                           "Time of a program, tPROG",
                           cited("DASH (arXiv 2608.14333), device parameters: 100 us; papers of "
                                 "2026 assume 50 us to 5 ms")
                               .swept("50us", "1ms"),
                           Change::tunable};
    Param<Time> t_erase {
        3_ms,
        {1_fs, 100_ms},
        "Time of an erase, tERASE",
        cited("FLINT (arXiv 2608.25062), device parameters: 3 ms").swept("1ms", "10ms"),
        Change::tunable};
    Param<Rate> rate {
        Rate {96'000'000'000},
        {1_MBps, 10000_GBps},
        "Rate of a channel's wires, in each direction",
        cited("OCP HBF architecture v0.7.0 (2026), organisation: 1.536 TB/s of 16 channels, "
              "efficiency of 75 % included")
            .swept("24GB/s", "192GB/s")};
    Param<Time> latency {25_ns,
                         {1_fs, 1_us},
                         "Time from the wires to the host",
                         cited("h3-hbf-sim, default configuration: a hop of 25 ns"),
                         Change::tunable};
};

/// ECC retries, read disturb and endurance.
struct HbfReliability {
    using group = void;
    Param<Fraction> retry_chance {Fraction {1'000'000},
                                  {0_pct, 100_pct},
                                  "Probability that the ECC cannot correct a sensed page, which is "
                                  "then sensed again; of each retry, too",
                                  assumed("no source gives it").swept("0%", "1%", "10%"),
                                  Change::tunable};
    Param<unsigned> retries {8,
                             {0, 64},
                             "Retries of a page at most; the last one corrects it",
                             assumed("usual tables of read voltages have 5 to 15 entries")};
    Param<Time> t_retry {5_us,
                         {1_fs, 10_ms},
                         "Time of a retry: a sense at other voltages and the decoding",
                         assumed("tR and a soft decoding of 2 us").swept("3us", "20us"),
                         Change::tunable};
    Param<std::uint64_t> disturb_limit {
        1'000'000,
        {1, ~std::uint32_t {0}},
        "Senses of a block after which the host is asked to refresh it",
        cited("FLINT (arXiv 2608.25062), read disturb: about 1e6 senses of a block")
            .swept("100000", "10000000")};
    Param<unsigned> endurance {100'000,
                               {1, ~0u},
                               "Erases that a block endures",
                               cited("FLINT, DASH, HBFlex (arXiv 2608.25062, 2608.14333, "
                                     "2609.18675), device parameters: 1e5")
                                   .swept("3300", "1000000")};
};

/// Energy of a bit.
struct HbfEnergies {
    using group = void;
    Param<Energy> sense_energy {
        20_pJ,
        {0_fJ, Energy {1'000'000'000}},
        "Energy of a bit for each sense of its page; a retry is a sense, too",
        cited("FLINT (arXiv 2608.25062), device parameters: 20 pJ").swept("8pJ", "30pJ")};
    Param<Energy> program_energy {100_pJ,
                                  {0_fJ, Energy {1'000'000'000}},
                                  "Energy of a bit that is programmed",
                                  cited("FLINT (arXiv 2608.25062), device parameters: 100 pJ")};
    Param<Energy> wire_energy {
        290_fJ,
        {0_fJ, Energy {1'000'000'000}},
        "Energy of a bit on the wires",
        cited(
            "KAIST's pooling of HBF (IEEE CAL 25(2), pages 259-262): 0.29 pJ a bit of its links")};
};

} // namespace memsim::flash
