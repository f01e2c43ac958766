#pragma once

#include "cxl/flit/packer.hh"

#include <vector>

namespace memsim::cxl {

/// The sent flits that may be requested again, in a ring. Their position is their sequence number,
/// which flits do not carry. The ring is never filled completely: the last place distinguishes a
/// full ring from an empty one (CXL 3.1, 4.2.8.1). A value for State.
struct RetryBuffer {
    struct Entry {
        Flit flit;
        std::uint16_t crc = 0;
        bool all_data = false;
        Asides asides {};
    };
    static constexpr std::uint32_t least = 22, most = 255;

    std::vector<Entry> entries;
    std::uint32_t write = 0; ///< place of the next new flit (WrPtr)
    std::uint32_t read = 0;  ///< next flit to send; `write`: a new one (RdPtr)
    std::uint32_t free = 0;  ///< NumFreeBuf

    void resize(std::uint32_t n) { entries.resize(n), free = n; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(entries.size()); }
    std::uint32_t unacknowledged() const { return size() - free; }
    bool replays() const { return read != write; }

    /// The empty place of a new flit, which is sent now.
    Entry& add() {
        MEMSIM_ASSERT(free > 1 && !replays(), "a flit is sent without a place to store it");
        Entry& e = entries[write];
        e = {};
        read = write = next(write);
        --free;
        return e;
    }
    Entry& replay() {
        Entry& e = entries[read];
        read = next(read);
        return e;
    }
    void acknowledge(std::uint32_t flits) {
        free += flits;
        MEMSIM_ASSERT(free <= size(), "more flits are acknowledged than were sent");
    }
    /// Sends flits again from this sequence number on.
    void go_back(std::uint32_t sequence) {
        MEMSIM_ASSERT(sequence < size() && (write + size() - sequence) % size() <= unacknowledged(),
                      "a flit is requested that is not stored");
        read = sequence;
    }

  private:
    std::uint32_t next(std::uint32_t i) const { return i + 1 == size() ? 0 : i + 1; }
};

} // namespace memsim::cxl
