#pragma once

#include "flash/nand/nand.hh"
#include "zng/layout/page_mask.hh"

namespace memsim::zng::package {

/// Where the parts of a page are, newest first: in a register, in a worker that programs it, in the
/// array.
struct PagePlaces {
    static constexpr std::uint32_t none = ~0u;
    static constexpr std::uint64_t nowhere = ~std::uint64_t {0};
    std::uint32_t reg = none, worker = none;
    std::uint64_t array = nowhere; ///< flash::NandArray::page()
};

/// The bytes that a package holds, where a machine carries contents. A part: its owner says where
/// pages are and what moves. Without contents nothing is kept and no record is made.
class PageVersions {
  public:
    /// `held` has the pages of registers, then those of workers.
    PageVersions(Contents& contents, flash::PageContents& array, flash::PageContents& held,
                 std::uint32_t registers)
        : contents_(contents), array_(array), held_(held), registers_(registers) {}

    bool carries() const { return contents_.enabled(); }

    /// A packet's record about a line goes into the register. Where the program's store comes late,
    /// a younger one's bytes stay, wherever they are. Of sectors that the packet writes `whole` the
    /// register has all bytes then: an atomic has read those that it does not change.
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
    /// A record about sectors of a line, as far as these places have them.
    Contents::Id read(const PagePlaces& at, unsigned line, unsigned sectors) {
        if (!carries()) return {};
        const Contents::Id id = contents_.create();
        for (std::uint32_t i = 0; i < line_sectors; ++i)
            if (sectors >> i & 1)
                contents_[id].pieces.push_back({i, newest_of(at, line * line_sectors + i)});
        return id;
    }
    /// The register's page leaves it with the worker.
    void take(std::uint32_t worker, std::uint32_t reg) {
        if (!carries()) return;
        for (std::uint32_t i = 0; i < page_sectors; ++i)
            held_.put(registers_ + worker, i, held_.read(reg, i));
        held_.forget(reg, 0, page_sectors);
    }
    /// What the worker's page lacks comes from the array.
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
    /// A line of the worker's page comes back from a controller's buffer.
    void come_back(std::uint32_t worker, unsigned line, Contents::Id record) {
        if (!record) return;
        for (const Contents::Piece& p : contents_[record].pieces)
            held_.put(registers_ + worker, line * line_sectors + p.sector, p.data);
        contents_.release(record);
    }
    /// A write goes to all places, since the newest of them counts.
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
