#pragma once

#include "flash/nand/page_contents.hh"
#include "parts/deferred_writes.hh"
#include "protocol/block_io.hh"

#include <bit>

namespace memsim::flash {

/// Plain values for State.
struct DriveContentsState {
    PageContents cached;   ///< by place in the cache
    PageContents unplaced; ///< by logical page: what is there though no page of the flash has it
    parts::DeferredWrites deferred; ///< of the host into pages under way, by logical page
};

/// The bytes that pass through a drive's controller, where a machine carries contents. A logical
/// page is named by its number, sectors of 512 bytes of it by a mask; `r` is the block request that
/// a record belongs to. A part: whoever owns it says what moves, and when.
class DriveContents {
  public:
    DriveContents(Contents& contents, std::uint32_t page_sectors, DriveContentsState& state)
        : contents_(contents), page_sectors_(page_sectors), s_(state) {}

    bool carries() const { return contents_.enabled(); }

    /// Sectors of a write come into a page of the cache.
    void write(std::uint32_t cached, std::uint32_t lpn, std::uint32_t sectors,
               const protocol::BlockRequest& r) {
        if (!carries()) return;
        forget_deferred(lpn, sectors);
        for_each(sectors, [&](std::uint32_t i) { s_.cached.forget(cached, i * pieces, pieces); });
        if (!r.contents) return;
        const std::uint64_t first = std::uint64_t {lpn} * page_sectors_ * pieces;
        for (const Contents::Piece& p : contents_[r.contents].pieces) {
            const std::uint64_t in_page = r.sector * pieces + p.sector - first;
            if (in_page < page_sectors_ * pieces && sectors >> in_page / pieces & 1)
                s_.cached.put(cached, static_cast<std::uint32_t>(in_page), p.data);
        }
    }
    /// Adds sectors to the answer of a read: from the cache, from what the flash had of the page,
    /// or from what is nowhere in the flash.
    void answer_cached(Contents::Id answer, std::uint32_t cached, std::uint32_t lpn,
                       std::uint32_t sectors, const protocol::BlockRequest& r) {
        add(answer, s_.cached, cached, lpn, sectors, r);
    }
    void answer_unplaced(Contents::Id answer, std::uint32_t lpn, std::uint32_t sectors,
                         const protocol::BlockRequest& r) {
        add(answer, s_.unplaced, lpn, lpn, sectors, r);
    }
    void answer_sensed(Contents::Id answer, Contents::Id sensed, std::uint32_t lpn,
                       std::uint32_t sectors, const protocol::BlockRequest& r) {
        if (!sensed) return;
        for (const Contents::Piece& p : contents_[sensed].pieces)
            if (sectors >> p.sector / pieces & 1)
                contents_[answer].pieces.push_back(
                    {place_in(r, lpn, p.sector / pieces) + p.sector % pieces, p.data});
    }
    /// A page that is programmed: sectors that the cache sends, over what was sensed of it.
    Contents::Id merged(Contents::Id sensed, std::uint32_t cached, std::uint32_t sent,
                        std::uint32_t trimmed) {
        if (!carries()) return {};
        const Contents::Id id = contents_.create();
        if (sensed) {
            for (const Contents::Piece& p : contents_[sensed].pieces)
                if (!(sent >> p.sector / pieces & 1)) contents_[id].pieces.push_back(p);
            contents_.release(sensed);
        }
        for_each(sent & ~trimmed, [&](std::uint32_t i) {
            s_.cached.read(cached, i * pieces, pieces, contents_, id, i * pieces);
        });
        return id;
    }
    /// Sectors that were sensed stay in the cache.
    void keep(std::uint32_t cached, Contents::Id sensed, std::uint32_t sectors) {
        if (!carries()) return;
        for_each(sectors, [&](std::uint32_t i) { s_.cached.forget(cached, i * pieces, pieces); });
        for (const Contents::Piece& p : contents_[sensed].pieces)
            if (sectors >> p.sector / pieces & 1) s_.cached.put(cached, p.sector, p.data);
    }
    void trim(std::uint32_t lpn, std::uint32_t sectors) {
        if (!carries()) return;
        forget_deferred(lpn, sectors);
        for_each(sectors, [&](std::uint32_t i) { s_.unplaced.forget(lpn, i * pieces, pieces); });
    }
    /// The host writes into a page that is under way: what was sensed of it may take the place of
    /// what was written.
    void defer(std::uint32_t lpn, const FunctionalAccess& write) { s_.deferred.add(lpn, write); }
    void look_deferred(std::uint32_t lpn, FunctionalAccess& read) const {
        if (!s_.deferred.empty()) s_.deferred.look(lpn, read);
    }
    /// Calls write(lpn, access) for all that are deferred; those of which under_way(lpn) is false
    /// are forgotten then.
    template <class Write, class UnderWay>
    void write_deferred(Write&& write, UnderWay&& under_way) {
        if (s_.deferred.empty()) return;
        s_.deferred.for_each([&](std::uint64_t lpn, FunctionalAccess access) {
            write(static_cast<std::uint32_t>(lpn), access);
        });
        s_.deferred.forget_if([&](std::uint64_t lpn, const FunctionalAccess&) {
            return !under_way(static_cast<std::uint32_t>(lpn));
        });
    }
    /// Sectors of a page get a place in the flash, as if they had always been there: calls put()
    /// with an untimed write for each 32 bytes that are known.
    template <class F>
    void place(std::uint32_t lpn, std::uint32_t sectors, F&& put) {
        if (!carries()) return;
        for_each(sectors, [&](std::uint32_t i) {
            for (std::uint32_t p = i * pieces; p < (i + 1) * pieces; ++p) {
                FunctionalAccess a {std::uint64_t {p} * SectorBytes::size, 0, true,
                                    s_.unplaced.read(lpn, p)};
                if (a.data.known) put(a);
            }
            s_.unplaced.forget(lpn, i * pieces, pieces);
        });
    }
    /// Sectors of one page of the flash are in another, too; `look` looks at a page without time.
    template <class F>
    void copy(std::uint32_t from, std::uint32_t to, std::uint32_t sectors, F&& look) {
        if (!carries()) return;
        for_each(sectors, [&](std::uint32_t i) {
            for (std::uint32_t p = i * pieces; p < (i + 1) * pieces; ++p) {
                FunctionalAccess a {std::uint64_t {p} * SectorBytes::size, 0, false, {}};
                look(from, a);
                a.write = true;
                if (a.data.known) look(to, a);
            }
        });
    }
    void functional_cached(std::uint32_t cached, FunctionalAccess& in_page) {
        s_.cached.functional(cached, in_page);
    }
    void functional_unplaced(std::uint32_t lpn, FunctionalAccess& in_page) {
        s_.unplaced.functional(lpn, in_page);
    }

  private:
    static constexpr std::uint32_t pieces = protocol::block_sector_pieces;

    void forget_deferred(std::uint32_t lpn, std::uint32_t sectors) {
        if (s_.deferred.empty()) return;
        s_.deferred.forget_if([&](std::uint64_t page, const FunctionalAccess& write) {
            const std::uint64_t sector = write.address / protocol::block_sector_bytes;
            return page == lpn && sectors >> sector % page_sectors_ & 1;
        });
    }
    template <class F>
    void for_each(std::uint32_t sectors, F&& f) {
        for (std::uint32_t page = page_sectors_ == 32 ? ~0u : (1u << page_sectors_) - 1,
                           set = sectors & page;
             set; set &= set - 1)
            f(static_cast<std::uint32_t>(std::countr_zero(set)));
    }
    /// Where the page's sector i begins in a record of the request.
    std::uint32_t place_in(const protocol::BlockRequest& r, std::uint32_t lpn,
                           std::uint32_t i) const {
        return static_cast<std::uint32_t>((std::uint64_t {lpn} * page_sectors_ + i - r.sector) *
                                          pieces);
    }
    void add(Contents::Id answer, const PageContents& from, std::uint64_t page, std::uint32_t lpn,
             std::uint32_t sectors, const protocol::BlockRequest& r) {
        if (!carries()) return;
        for_each(sectors, [&](std::uint32_t i) {
            from.read(page, i * pieces, pieces, contents_, answer, place_in(r, lpn, i));
        });
    }

    Contents& contents_;
    std::uint32_t page_sectors_;
    DriveContentsState& s_;
};

} // namespace memsim::flash
