#pragma once

#include "mem/cache/commands.hh"
#include "mem/cache/fills.hh"
#include "mem/cache/lines/changing_sectors.hh"
#include "mem/cache/messages/answers.hh"
#include "mem/cache/prefetching.hh"
#include "mem/cache/writes.hh"

namespace memsim::mem::cache {

/// The parts and stages of a cache. Each stage receives the parts that it uses (its `Uses`).
struct Stages {
    struct NextLevel {
        Requester<protocol::Mem>& port;
        bool victims; ///< whether it accepts victims
    };
    /// The arguments outlive it, except `interleave` and `below`.
    Stages(const Params& p, const device_parts::HashedInterleave& interleave,
           Responder<protocol::Mem>& above, const NextLevel& below, Observers& observers,
           SimulationRef sim, Stats& stat, State& state);
    Stages(const Stages&) = delete;

    Config config;
    Map map;
    Lines lines;
    MshrUse mshr_use;
    BankedSlots slots;
    Banks banks;
    ChangingSectors changing;
    Outlet outlet;
    Accounting accounting;
    Claims claims;
    Partitions partitions;
    Answers answers;

    Evictions evictions;
    Misses misses;
    Writes writes;
    Fills fills;
    Commands commands;
    Prefetching prefetching;
};

} // namespace memsim::mem::cache
