#pragma once

#include "device_parts/sector_store.hh"

namespace memsim::flash {

/// The bytes of pages, if the machine carries contents. The owner assigns a number to each place
/// that holds a page: cells of an array, a register, an entry of a cache. A value for State.
class PageContents {
  public:
    static constexpr std::string_view archived_as = "PageContents";
    template <class Archive>
    void archive(Archive& a) {
        a(store_);
    }
    static constexpr std::uint32_t most_sectors = 512; ///< of a page of 16 KiB

    /// `sector`: 32 bytes each, counted from the start of the page.
    SectorBytes read(std::uint64_t page, std::uint32_t sector) const {
        SectorBytes s;
        store_.read(key(page, sector), s);
        return s;
    }
    void put(std::uint64_t page, std::uint32_t sector, const SectorBytes& s) {
        store_.put(key(page, sector), s);
    }
    /// Adds the known bytes of sectors [first, first + count) to a record; sector `first` of the
    /// page becomes sector `at`.
    void read(std::uint64_t page, std::uint32_t first, std::uint32_t count, Contents& contents,
              Contents::Id to, std::uint32_t at) const {
        for (std::uint32_t i = 0; i < count; ++i) {
            const SectorBytes s = read(page, first + i);
            if (s.known) contents[to].pieces.push_back({at + i, s});
        }
    }
    /// Discards whole ranges of 256 bytes; [first, first + count) consists of such ranges.
    void forget(std::uint64_t page, std::uint32_t first = 0, std::uint32_t count = most_sectors) {
        store_.forget(key(page, first), count);
    }
    void functional(std::uint64_t page, FunctionalAccess& access) {
        const std::uint64_t sector = key(page, 0) + access.address / SectorBytes::size;
        if (access.write) {
            store_.merge(sector, access.data, false);
            return;
        }
        SectorBytes held;
        store_.read(sector, held);
        access.data.fill(held);
    }

  private:
    static std::uint64_t key(std::uint64_t page, std::uint32_t sector) {
        return page * most_sectors + sector;
    }
    device_parts::SectorStore store_;
};

} // namespace memsim::flash
