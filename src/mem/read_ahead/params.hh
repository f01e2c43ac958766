#pragma once

#include "core/kernel/component.hh"
#include "mem/read_ahead/cursor.hh"

namespace memsim::mem {

using namespace memsim::literals;

/// Addresses by which the program announces arrays, for `predict` = router: the signals are read
/// in rounds, from number 0 on. The parts of a signal lie in all channels.
struct SignalParams {
    using group = void;
    Param<unsigned> signals {
        0, {0, 1u << 20}, "Different signals of the program; 0: it sends none", from_wiring()};
    Param<Bytes> signal_base {
        0_B, {0_B, Bytes {std::int64_t {1} << 50}}, "Address of the first signal", from_wiring()};
    Param<Bytes> signal_bytes {
        256_B, {32_B, 1_GiB}, "Bytes from the address of a signal to the next", from_wiring()};
    Param<Bytes> signal_end {0_B,
                             {0_B, Bytes {std::int64_t {1} << 50}},
                             "Address behind the last signal of the last round",
                             from_wiring()};
};

/// Which addresses a component has.
struct ReadAheadShare {
    using group = void;
    Param<unsigned> interleave_ways {
        1, {1, 4096}, "Components that share the addresses", from_wiring()};
    Param<unsigned> interleave_index {
        0,
        {0, 4095},
        "Number of this component among those that share the addresses",
        from_wiring()};
    Param<Bytes> interleave_granularity {256_B,
                                         {128_B, 1_GiB},
                                         "Consecutive addresses of one component",
                                         power_of_two(),
                                         from_wiring()};
    Param<unsigned> hash_rounds {
        0, {0, 4096}, "Rounds in which a hash deals addresses, as of mem.Crossbar", from_wiring()};
};

struct ReadAheadParams {
    Param<std::string> arrays {"",
                               "First address and size of each array in the order of reading, "
                               "such as '0B 4KiB, 4KiB 1KiB; 8KiB 4KiB', with a semicolon "
                               "between groups; '8KiB 4KiB 3' is an array with signal 3",
                               from_wiring()};
    Param<unsigned> ahead {1,
                           {1, 4096},
                           "Groups after the present one that are read ahead",
                           assumed("the next layer or matrix").swept("2", "3")};
    Param<Predict> predict {Predict::all,
                            "Arrays of a group that are read ahead: all; those that were read "
                            "the last time; or those that the program has signalled (router), "
                            "and of arrays without a signal those that were read the last time",
                            assumed("a dense model reads all")};
    SignalParams signals;
    Param<Bytes> capacity {1_MiB,
                           {128_B, 64_GiB},
                           "Size of the buffer",
                           assumed("no source").swept("256KiB", "16MiB")};
    Param<Bytes> base {1_GiB,
                       {0_B, Bytes {std::int64_t {1} << 50}},
                       "Address of the buffer, which all components share: behind all data",
                       from_wiring()};
    ReadAheadShare share;
    Param<Time> latency {1_fs,
                         {1_fs, 1_ms},
                         "Latency of the look-up, and of responses",
                         Change::tunable,
                         assumed("a look-up without a time of its own")};
    Param<unsigned> fetches {1024,
                             {1, 1 << 20},
                             "Outstanding reads ahead",
                             assumed("some microseconds at 100 GB/s").swept("256", "4096")};
    Param<unsigned> queue {
        256, {1, 65536}, "Requests waiting or in flight to this component", queue_places()};
    Param<unsigned> outstanding {
        4096, {1, 1 << 20}, "Outstanding requests of the program", queue_places()};

    unsigned requests() const { return outstanding() + fetches(); }
};

struct ReadAheadStats {
    Counter hits {Unit::count, "Reads of lines in the buffer"};
    Counter late {Unit::count, "Reads that waited for a line that was being fetched"};
    Counter misses {Unit::count, "Reads of the arrays that were neither"};
    Counter others {Unit::count, "Requests to other addresses, and writes"};
    Counter fetches {Unit::count, "Lines read ahead"};
    Counter useless {Unit::count, "Lines read ahead of which nothing was read"};
    Counter stored {Unit::byte, "Bytes written to the buffer"};
    Counter full {Unit::count, "Times that the buffer had no room for the next line"};
    Distribution wait {Unit::time, "Time that reads waited for a line being fetched"};
    Gathered predicted_used {
        Unit::count,
        "Arrays that the program signalled and read, counted when it leaves their group"};
    Gathered predicted_unused {Unit::count, "Arrays that the program signalled but did not read"};
    Gathered predicted_missed {
        Unit::count, "Arrays with a signal that the program read without having signalled them"};
};

} // namespace memsim::mem
