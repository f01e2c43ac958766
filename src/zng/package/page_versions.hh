#pragma once

#include "flash/nand/nand.hh"
#include "zng/layout/page_mask.hh"

namespace memsim::zng::package {

/// The places that hold parts of a page, newest first: a register, a worker that programs the page,
/// the array.
struct PagePlaces {
    static constexpr std::uint32_t none = ~0u;
    static constexpr std::uint64_t nowhere = ~std::uint64_t {0};
    std::uint32_t reg = none, worker = none;
    std::uint64_t array = nowhere; ///< flash::NandArray::page()
};

/// The contents of a package's pages, if the machine carries contents; otherwise nothing is stored
/// and no records are made. A part: its owner supplies the places of pages and their moves.
class PageVersions {
  public:
    /// `held`: pages of registers, followed by pages of workers.
    PageVersions(Contents& contents, flash::PageContents& array, flash::PageContents& held,
                 std::uint32_t registers)
        : contents_(contents), array_(array), held_(held), registers_(registers) {}

    bool carries() const { return contents_.enabled(); }

    /// Writes a packet's record of a line to the register. If stores arrive out of program order,
    /// bytes of a younger store are kept, wherever they are. The register then holds all bytes of
    /// the sectors in `whole`: an atomic has read the bytes that it does not change.
    void write(const PagePlaces& at, unsigned line, unsigned whole, Contents::Id record) {
        if (!record) return;
        for (const Contents::Piece& p : contents_[record].pieces) {
            const std::uint32_t sector = line * line_sectors + p.sector;
            SectorBytes mine = held_.read(at.reg, sector);
            SectorBytes newest = newest_of(at, sector);
            if (newest.merge(p.data, contents_[record].moves)) contents_.count_overtaken();
            mine.take(newest, whole >> p.sector & 1 ? newest.known : p.data.known);
            held_.put(at.reg, sector, mine);
        }
        contents_.release(record);
    }
    /// A record of sectors of a line, as far as these places hold them.
    Contents::Id read(const PagePlaces& at, unsigned line, unsigned sectors) {
        if (!carries()) return {};
        const Contents::Id id = contents_.create();
        for (std::uint32_t i = 0; i < line_sectors; ++i)
            if (sectors >> i & 1)
                contents_[id].pieces.push_back({i, newest_of(at, line * line_sectors + i)});
        return id;
    }
    /// Moves the page of a register to the worker.
    void take(std::uint32_t worker, std::uint32_t reg) {
        if (!carries()) return;
        for (std::uint32_t i = 0; i < page_sectors; ++i)
            held_.put(registers_ + worker, i, held_.read(reg, i));
        held_.forget(reg, 0, page_sectors);
    }
    /// Fills the missing part of the worker's page from the array.
    void merge(std::uint32_t worker, std::uint64_t array) {
        if (!carries()) return;
        for (std::uint32_t i = 0; i < page_sectors; ++i)
            held_.put(registers_ + worker, i, newest_of({PagePlaces::none, worker, array}, i));
    }
    void program(std::uint32_t worker, std::uint64_t array) {
        if (!carries()) return;
        for (std::uint32_t i = 0; i < page_sectors; ++i)
            array_.put(array, i, held_.read(registers_ + worker, i));
    }
    void forget(std::uint32_t worker) {
        if (carries()) held_.forget(registers_ + worker, 0, page_sectors);
    }
    /// Writes a line of the worker's page that a controller's buffer returned.
    void come_back(std::uint32_t worker, unsigned line, Contents::Id record) {
        if (!record) return;
        for (const Contents::Piece& p : contents_[record].pieces)
            held_.put(registers_ + worker, line * line_sectors + p.sector, p.data);
        contents_.release(record);
    }
    /// A functional write updates all places, because reads use the newest one.
    void functional(const PagePlaces& at, FunctionalAccess& access) {
        if (at.reg != PagePlaces::none) held_.functional(at.reg, access);
        if (at.worker != PagePlaces::none) held_.functional(registers_ + at.worker, access);
        if (at.array != PagePlaces::nowhere) array_.functional(at.array, access);
    }

  private:
    static constexpr std::uint32_t line_sectors = line_bytes / sector_bytes;
    static constexpr std::uint32_t page_sectors = page_bytes / sector_bytes;

    SectorBytes newest_of(const PagePlaces& at, std::uint32_t sector) const {
        SectorBytes s;
        if (at.reg != PagePlaces::none) s.fill(held_.read(at.reg, sector));
        if (at.worker != PagePlaces::none) s.fill(held_.read(registers_ + at.worker, sector));
        if (at.array != PagePlaces::nowhere) s.fill(array_.read(at.array, sector));
        return s;
    }

    Contents& contents_;
    flash::PageContents& array_;
    flash::PageContents& held_;
    std::uint32_t registers_;
};

} // namespace memsim::zng::package
