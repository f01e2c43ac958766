#pragma once

#include "core/state/fifo.hh"

#include <cstdint>
#include <optional>

namespace memsim::host {

/// The order of a copy engine's work: both directions at once, each on one page at a time, which
/// take turns at the port. A value for State.
struct CopyEngine {
    Fifo<std::uint32_t> out, in; ///< pages to be copied; the first is being copied
    bool in_next = false;        ///< whose turn it is

    struct Chunk {
        std::uint32_t page = 0;
        bool in = false;
    };
    bool idle() const { return out.empty() && in.empty(); }
    /// Of which page, and in which direction, the next chunk is. Precondition: not idle.
    Chunk next() const {
        const bool inwards = out.empty() || (in_next && !in.empty());
        return {(inwards ? in : out).front(), inwards};
    }
    /// That chunk has left; `last` of its page.
    void sent(const Chunk& chunk, bool last) {
        if (last) (chunk.in ? in : out).pop();
        in_next = !chunk.in;
    }
};

} // namespace memsim::host
