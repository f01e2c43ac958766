#pragma once

#include "mem/cache/lines/changing_sectors.hh"
#include "mem/cache/lines/mshr_use.hh"
#include "mem/cache/lines/partitions.hh"
#include "mem/cache/messages/outlet.hh"
#include "mem/cache/stats.hh"

namespace memsim::mem::cache {

struct Flush { ///< in progress
    bool walking = false;
    std::uint64_t set = 0;     ///< next set to walk
    std::uint32_t unacked = 0; ///< write-backs without an acknowledgement
    std::uint32_t dropped = 0; ///< fetches that were dropped and have not arrived
    std::uint32_t port = 0;    ///< source: 0 for cpu_side, else 1 + control port
    protocol::MemRequest request;
};
struct State { // fields used by every access come first, in one cache line
    CacheStall stall = CacheStall::none;
    std::uint32_t reserved = 0; ///< number of ways
    /// First line of the set for which the first request waits because all its lines are being
    /// filled.
    std::uint32_t full_set = device_parts::TagArray::none;
    std::uint64_t owed = 0;     ///< requests without a response
    std::uint64_t fetching = 0; ///< bytes requested from the next level and not yet received
    device_parts::TagArray tags;
    Policy<SetHash> set_hash;
    Mshrs mshrs;
    MshrUse::State mshr_use;
    BankedSlotsState slots;
    Outlet::State outlet;
    Fifo<Late> late; ///< responses to writes and atomics that wait for the array
    ChangingSectors::State changing;
    Partitions::State partitions;
    Flush flush;
    LineContents::State contents;
    std::vector<std::uint32_t> hint_done; ///< bytes processed of the first hint of each port
    Tick stalled_since = 0;
    Timer next_cycle, next_late, next_hint;
};

} // namespace memsim::mem::cache
