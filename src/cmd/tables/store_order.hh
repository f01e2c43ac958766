#pragma once

#include "device_parts/sector_store.hh"

namespace memsim::cmd {

/// The program's last store to each byte, by address. Deduplication does not affect it: equal bytes
/// of two blocks come from different stores. A part.
class StoreOrder {
  public:
    explicit StoreOrder(device_parts::SectorStore& last) : last_(last) {}

    /// Merges a write to a sector. Where a younger store was merged before, `data` receives the
    /// younger bytes. Returns whether this occurred, that is, the write was late.
    bool merge(std::uint64_t sector, SectorBytes& data, bool moves) {
        const bool late = last_.merge(sector, data, moves);
        const std::uint32_t known = data.known;
        const SectorBytes now = last(sector);
        data = {};
        data.take(now, known);
        return late;
    }
    /// The bytes stored last in a sector.
    SectorBytes last(std::uint64_t sector) const {
        SectorBytes found;
        last_.read(sector, found);
        return found;
    }

  private:
    device_parts::SectorStore& last_;
};

} // namespace memsim::cmd
