#pragma once

#include "device_parts/page_policy.hh"
#include "mem/fault.hh"
#include "mem/page_cache/pages_ahead.hh"

#include <optional>

namespace memsim::mem {

struct PageCacheParams {
    Param<Bytes> capacity {
        64_MiB, {256_B, Bytes {std::int64_t {1} << 50}}, "Capacity of the DRAM", example_value()};
    Param<Bytes> unit {4_KiB,
                       {64_B, 512_KiB},
                       "Size of a unit, which is read and written as a whole",
                       example_value()};
    Param<Bytes> line {128_B,
                       {32_B, 128_B},
                       "Size of the DRAM requests that transfer a unit",
                       assumed("a line of 128 B")};
    Param<Bytes> dram_base {0_B,
                            {0_B, Bytes {std::int64_t {1} << 50}},
                            "Address of the first frame in the DRAM",
                            example_value()};
    Param<Bytes> drive_base {0_B,
                             {0_B, Bytes {std::int64_t {1} << 50}},
                             "Address on the drive of address 0",
                             example_value()};
    Param<PolicyName<device_parts::PagePolicy>> replacement {
        "lru", "Policy that selects the unit to evict; a use is a request for the unit",
        usual_policy()};
    Param<unsigned> batch {16,
                           {1, 1024},
                           "Maximum number of units read from the drive by one request",
                           assumed("64 KiB, a common request to a drive; range 1 to 128")};
    Param<Bytes> write_group {0_B,
                              {0_B, 64_KiB},
                              "Aligned range of the drive whose dirty units are written back "
                              "together, such as a flash page; 0B: each unit separately",
                              multiple_of(unit),
                              switched_off()};
    Param<bool> early_writes {false, "Answer a write before its unit has arrived from the drive",
                              switched_off()};
    AheadParams ahead;
    Param<Time> latency {
        1_fs, {1_fs, 1_us}, "Latency of responses", Change::tunable, least_latency()};
    Param<unsigned> queue {
        32, {1, 65536}, "Requests waiting or in flight to this component", queue_places()};
    Param<unsigned> requests {
        256, {1, 65536}, "Requests accepted and not completed", queue_places()};
    Param<unsigned> dram_queue {
        64, {1, 65536}, "Reads of the DRAM without a response", queue_places()};
    Param<unsigned> drive_queue {
        64, {1, 65535}, "Requests to the drive without a response", queue_places()};
    Param<Time> drive_latency {1_fs,
                               {1_fs, 1_ms},
                               "Latency of requests to the drive: processing time of a "
                               "controller, for any number of requests in parallel",
                               Change::tunable,
                               least_latency()};
    Param<unsigned> full_load {64,
                               {4, 65536},
                               "Units being read from the drive that are reported as full load",
                               assumed("as many as `drive_queue` has places")};
    Param<unsigned> hint_queue {
        64, {1, 65536}, "Hints waiting or in flight to this component", queue_places()};

    std::uint64_t unit_bytes() const { return static_cast<std::uint64_t>(unit->raw); }
    /// Units of a write group; 1: each unit is written separately.
    std::uint64_t group_units() const {
        return std::max(std::uint64_t {1},
                        static_cast<std::uint64_t>(write_group->raw) / unit_bytes());
    }
};

/// `drive`, `drive_block`: path of the drive, and bytes of its blocks.
std::optional<Fault> fault_of(const PageCacheParams& p, const std::string& drive,
                              std::uint32_t drive_block);

} // namespace memsim::mem
