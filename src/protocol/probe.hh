#pragma once

#include "core/kernel/component.hh"

/// A question to a cache: what it knows of a sector, as it stands. Nothing moves by it: no use is
/// noted, nothing is counted. It takes no time here; whoever asks accounts for that, and for the
/// bank if it says so. What the cache does in the same tick is seen if the cache's turn is before
/// the asker's (the order of the components), as the answer is not a message.
namespace memsim::protocol {

struct SectorProbe {
    std::uint64_t address = 0; ///< of the sector's first byte, as the port's requests name it

    bool valid = false; ///< a read would find it
    bool dirty = false; ///< written here, and not below yet, whole or in part
    SectorBytes data;   ///< of a valid or dirty one, where the machine carries contents
    bool clean() const { return valid && !dirty; }
};

class Probed {
  public:
    virtual ~Probed() = default;
    virtual void probe(SectorProbe& probe) const = 0;
    /// Keeps the bank of an address from accesses, as a read does that begins now. One without
    /// banks has nothing to keep.
    virtual void take_bank(std::uint64_t) {}
    /// Whether an address comes to it: one of several slices has a part of the addresses. Known
    /// when init() is over: it is for the checks of the component that asks.
    virtual bool sees(std::uint64_t) const { return true; }
};

/// Whom one of the component's own ports asks, found at init(); nullptr if what is bound to it does
/// not answer.
inline Probed* probed(const PortBase& mine) { return mine.find_interface<Probed>(); }

} // namespace memsim::protocol
