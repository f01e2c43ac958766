#pragma once

#include "core/state/archive.hh"
#include "cxl/hdm/decoder.hh"
#include "cxl/hdm/registers.hh"

#include <vector>

namespace memsim::cxl {

/// A decoder with the additional state of a bridge or device.
struct HdmEntry {
    HdmDecoder decoder;
    std::array<std::uint8_t, 16> targets {}; ///< of a bridge: port of each way
    bool committed = false;
    bool failed = false; ///< the last commit was refused
};

/// The HDM Decoder Capability of a host bridge or a device (CXL 3.1, 8.2.4.20): the registers
/// through which firmware programs decoders. A decoder is active and locked after it is committed.
/// A commit of an invalid or overlapping decoder is reported as failed. A value for State.
struct HdmCapability {
    std::vector<HdmEntry> entries; ///< sized in init()
    bool enabled = false;

    struct Limits {
        std::uint64_t share = ~std::uint64_t {0}; ///< capacity of a device in bytes
        std::uint32_t targets = 1;                ///< number of ports of a bridge
    };

    /// The committed decoder that contains an address, or null.
    const HdmEntry* find(std::uint64_t hpa) const {
        for (const HdmEntry& e : entries)
            if (e.committed && e.decoder.holds(hpa)) return &e;
        return nullptr;
    }
    std::uint64_t read(const CxlConfigRequest& r) const;
    void write(const CxlConfigRequest& r, const Limits& limits);
    void check_loaded(Loader& l, std::uint32_t targets) const;

    // Bits of the control register, in addition to HdmDecoder's.
    static constexpr std::uint64_t commit = 1 << 9, committed = 1 << 10, not_committed = 1 << 11;

  private:
    bool can_commit(const HdmEntry& e, const Limits& limits) const;
};

} // namespace memsim::cxl
