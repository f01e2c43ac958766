#pragma once

#include "core/state/fifo.hh"

#include <cstdint>
#include <optional>

namespace memsim::host {

/// The schedule of a copy engine: both directions are active, each with one page at a time, and
/// alternate at the port. A value for State.
struct CopyEngine {
    Fifo<std::uint32_t> out, in; ///< pages to copy; the first is in progress
    bool in_next = false;        ///< the next chunk is one of `in`

    struct Chunk {
        std::uint32_t page = 0;
        bool in = false;
    };
    bool idle() const { return out.empty() && in.empty(); }
    /// Page and direction of the next chunk. Requires: not idle.
    Chunk next() const {
        const bool inwards = out.empty() || (in_next && !in.empty());
        return {(inwards ? in : out).front(), inwards};
    }
    /// The chunk was sent; `last`: of its page.
    void sent(const Chunk& chunk, bool last) {
        if (last) (chunk.in ? in : out).pop();
        in_next = !chunk.in;
    }
};

} // namespace memsim::host
