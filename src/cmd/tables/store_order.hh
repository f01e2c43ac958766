#pragma once

#include "parts/sector_store.hh"

namespace memsim::cmd {

/// Which of the program's stores left each byte last. It is kept by address, beside deduplication:
/// equal bytes of two blocks come from different stores. A part.
class StoreOrder {
  public:
    explicit StoreOrder(parts::SectorStore& last) : last_(last) {}

    /// Takes in what is written to a sector. Where a younger store was there already `data` becomes
    /// what that one left. True if there was one: the write came late.
    bool merge(std::uint64_t sector, SectorBytes& data, bool moves) {
        const bool late = last_.merge(sector, data, moves);
        const std::uint32_t known = data.known;
        const SectorBytes now = last(sector);
        data = {};
        data.take(now, known);
        return late;
    }
    /// What was stored last in a sector.
    SectorBytes last(std::uint64_t sector) const {
        SectorBytes found;
        last_.read(sector, found);
        return found;
    }

  private:
    parts::SectorStore& last_;
};

} // namespace memsim::cmd
