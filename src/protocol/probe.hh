#pragma once

#include "core/kernel/component.hh"

/// A query for the current state of a sector in a cache. It has no side effects: no use is
/// recorded, and no statistic counts it. It takes no time; the caller models its time, and the
/// occupation of the bank by take_bank(). Whether the result includes the cache's actions in the
/// same tick depends on the order of the components, because the answer is not a message.
namespace memsim::protocol {

struct SectorProbe {
    std::uint64_t address = 0; ///< of the sector's first byte, in the port's addresses

    bool valid = false; ///< a read would hit
    bool dirty = false; ///< written here, wholly or in part, and not yet below
    SectorBytes data;   ///< of a valid or dirty sector, if the machine carries contents
    bool clean() const { return valid && !dirty; }
};

class Probed {
  public:
    virtual ~Probed() = default;
    virtual void probe(SectorProbe& probe) const = 0;
    /// Occupies the bank of an address like a read that begins now. No effect without banks.
    virtual void take_bank(std::uint64_t) {}
    /// Whether the component serves this address; one of several slices serves a part. Available
    /// after init(), for checks of the caller.
    virtual bool sees(std::uint64_t) const { return true; }
};

/// The component to probe through one of the caller's ports, determined in init(); nullptr if it
/// does not support probes.
inline Probed* probed(const PortBase& mine) { return mine.find_interface<Probed>(); }

} // namespace memsim::protocol
