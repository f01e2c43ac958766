#pragma once

#include "core/state/archive.hh"
#include "cxl/hdm/decoder.hh"
#include "protocol/cxl_config.hh"

#include <vector>

namespace memsim::cxl {

/// A decoder with what a bridge and a device keep of it beside its range.
struct HdmEntry {
    HdmDecoder decoder;
    std::array<std::uint8_t, 16> targets {}; ///< of a bridge: the port of each way
    bool committed = false;
    bool failed = false; ///< what was to be committed cannot be
};

/// The HDM Decoder Capability of a host bridge or a device (CXL 3.1, 8.2.4.20): the registers by
/// which firmware programs decoders. A decoder decodes once it is committed, and is locked then;
/// one that cannot be, or that overlaps another, says so instead. A value for State.
struct HdmCapability {
    std::vector<HdmEntry> entries; ///< sized in init()
    bool enabled = false;

    struct Limits {
        std::uint64_t share = ~std::uint64_t {0}; ///< bytes of a device
        std::uint32_t targets = 1;                ///< ports of a bridge
    };

    /// The committed decoder that an address lies in; null: none.
    const HdmEntry* find(std::uint64_t hpa) const {
        for (const HdmEntry& e : entries)
            if (e.committed && e.decoder.holds(hpa)) return &e;
        return nullptr;
    }
    std::uint64_t read(const protocol::CxlConfigRequest& r) const;
    void write(const protocol::CxlConfigRequest& r, const Limits& limits);
    void check_loaded(Loader& l, std::uint32_t targets) const;

    // Of the control register, beside what HdmDecoder has there.
    static constexpr std::uint64_t commit = 1 << 9, committed = 1 << 10, not_committed = 1 << 11;

  private:
    bool can_commit(const HdmEntry& e, const Limits& limits) const;
};

} // namespace memsim::cxl
