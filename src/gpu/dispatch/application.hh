#pragma once

#include "core/base/error.hh"
#include "gpu/dispatch/local_pools.hh"
#include "gpu/dispatch/occupancy.hh"

#include <algorithm>
#include <numeric>

/// The progress of a dispatcher with its applications. Values for State.
namespace memsim::gpu {

/// One stream of an application: a launch begins when the previous one has ended.
struct Stream {
    bool ended = false; ///< no further block will start
    bool asked = false; ///< the next launch was requested, at
    Tick asked_at = 0;
    std::uint32_t launch = 0; ///< its number in the application, from 1
    std::uint32_t blocks = 0;
    std::uint32_t next_block = 0;
    std::uint32_t running = 0; ///< blocks that have not ended
    Resources block;           ///< resources of one block of this launch
    std::uint64_t local = 0;   ///< start of its local memory
    Tick launch_started = 0;
    std::uint64_t launch_instructions = 0; ///< of its dispatched threads

    bool has_blocks() const { return next_block < blocks; }
    /// Blocks in progress still run to their end.
    void start_no_more() { ended = true, next_block = blocks; }
};

struct Application {
    std::vector<Stream> streams;
    bool before = false;         ///< it has ended once
    bool loaded = false;         ///< its memory contents are in the machine
    std::uint32_t seen = 0;      ///< launches since its start, simulated or not
    std::uint32_t under_way = 0; ///< launches in progress
    std::uint64_t stores = 0;    ///< stores numbered so far, if contents are carried
    std::uint64_t instructions = 0;
    std::uint64_t until_ended = 0; ///< instructions at its first end
    LocalPools local_pools;

    bool ended() const {
        return std::all_of(streams.begin(), streams.end(), [](const Stream& s) { return s.ended; });
    }
    /// Blocks that have not ended.
    std::uint32_t running() const {
        return std::accumulate(streams.begin(), streams.end(), 0u,
                               [](std::uint32_t n, const Stream& s) { return n + s.running; });
    }
    void start_no_more() {
        for (Stream& s : streams) s.start_no_more();
    }
    /// The stream whose current launch has this number.
    Stream& stream_of(std::uint32_t launch) {
        const auto it = std::find_if(streams.begin(), streams.end(),
                                     [&](const Stream& s) { return s.launch == launch; });
        MEMSIM_ASSERT(it != streams.end(), "a block of a launch that is not in progress ends");
        return *it;
    }
    /// The stream whose launch receives blocks: the one whose launch began first, because hardware
    /// dispatches all blocks of a kernel before those of a later one. Returns the number of streams
    /// if there is none.
    std::uint32_t next_stream() const {
        auto next = static_cast<std::uint32_t>(streams.size());
        for (std::uint32_t s = 0; s < streams.size(); ++s)
            if (streams[s].has_blocks() &&
                (next == streams.size() || streams[s].launch < streams[next].launch))
                next = s;
        return next;
    }
};

/// Refuses a region that begins behind the last launch, once all applications have ended. `path` is
/// the dispatcher's.
inline void check_region(const std::vector<Application>& applications, unsigned first_launch,
                         const std::string& path) {
    std::uint32_t most = 0;
    for (const Application& a : applications) {
        if (!a.before || std::ranges::any_of(a.streams, [](const Stream& s) { return s.launch; }))
            return;
        most = std::max(most, a.seen);
    }
    if (first_launch)
        throw ConfigError(path + ": first_launch is " + std::to_string(first_launch) +
                          ", but there are only " + std::to_string(most) +
                          " launches, so nothing was simulated: the first one is launch 0; choose "
                          "a smaller number");
}

} // namespace memsim::gpu
