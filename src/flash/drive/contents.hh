#pragma once

#include "core/base/bits.hh"
#include "device_parts/deferred_writes.hh"
#include "flash/nand/page_contents.hh"
#include "protocol/block_io.hh"

#include <bit>

namespace memsim::flash {

/// Plain values for State.
struct DriveContentsState {
    PageContents cached;   ///< by page of the cache
    PageContents unplaced; ///< by logical page: contents without a page in the flash
    device_parts::DeferredWrites
        deferred; ///< functional writes to pages in progress, by logical page
};

/// The bytes that pass through a drive's controller, if the machine carries contents. A logical
/// page is identified by its number, its sectors of 512 bytes by a mask. `r` is the block request
/// to which a record belongs. A part: its owner calls it for each movement of data.
class DriveContents {
  public:
    DriveContents(Contents& contents, std::uint32_t page_sectors, DriveContentsState& state)
        : contents_(contents), page_sectors_(page_sectors), state_(state) {}

    bool carries() const { return contents_.enabled(); }

    /// Copies sectors of a write into a page of the cache.
    void write(std::uint32_t cached, std::uint32_t lpn, std::uint32_t sectors,
               const protocol::BlockRequest& r) {
        if (!carries()) return;
        forget_deferred(lpn, sectors);
        for_each(sectors,
                 [&](std::uint32_t i) { state_.cached.forget(cached, i * pieces, pieces); });
        if (!r.contents) return;
        const std::uint64_t first = std::uint64_t {lpn} * page_sectors_ * pieces;
        for (const Contents::Piece& p : contents_[r.contents].pieces) {
            const std::uint64_t in_page = r.sector * pieces + p.sector - first;
            if (in_page < page_sectors_ * pieces && sectors >> in_page / pieces & 1)
                state_.cached.put(cached, static_cast<std::uint32_t>(in_page), p.data);
        }
    }
    /// Adds sectors to the response of a read: from the cache, from the sensed page, or from
    /// contents without a page in the flash.
    void answer_cached(Contents::Id answer, std::uint32_t cached, std::uint32_t lpn,
                       std::uint32_t sectors, const protocol::BlockRequest& r) {
        add(answer, state_.cached, cached, lpn, sectors, r);
    }
    void answer_unplaced(Contents::Id answer, std::uint32_t lpn, std::uint32_t sectors,
                         const protocol::BlockRequest& r) {
        add(answer, state_.unplaced, lpn, lpn, sectors, r);
    }
    void answer_sensed(Contents::Id answer, Contents::Id sensed, std::uint32_t lpn,
                       std::uint32_t sectors, const protocol::BlockRequest& r) {
        if (!sensed) return;
        for (const Contents::Piece& p : contents_[sensed].pieces)
            if (sectors >> p.sector / pieces & 1)
                contents_[answer].pieces.push_back(
                    {place_in(r, lpn, p.sector / pieces) + p.sector % pieces, p.data});
    }
    /// The contents of a page to program: sectors sent from the cache, merged over the sensed
    /// contents.
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
            state_.cached.read(cached, i * pieces, pieces, contents_, id, i * pieces);
        });
        return id;
    }
    /// Copies sensed sectors into the cache.
    void keep(std::uint32_t cached, Contents::Id sensed, std::uint32_t sectors) {
        if (!carries()) return;
        for_each(sectors,
                 [&](std::uint32_t i) { state_.cached.forget(cached, i * pieces, pieces); });
        for (const Contents::Piece& p : contents_[sensed].pieces)
            if (sectors >> p.sector / pieces & 1) state_.cached.put(cached, p.sector, p.data);
    }
    void trim(std::uint32_t lpn, std::uint32_t sectors) {
        if (!carries()) return;
        forget_deferred(lpn, sectors);
        for_each(sectors,
                 [&](std::uint32_t i) { state_.unplaced.forget(lpn, i * pieces, pieces); });
    }
    /// Records a functional write to a page in progress, because sensed contents may later
    /// overwrite it.
    void defer(std::uint32_t lpn, const FunctionalAccess& write) {
        state_.deferred.add(lpn, write);
    }
    void look_deferred(std::uint32_t lpn, FunctionalAccess& read) const {
        if (!state_.deferred.empty()) state_.deferred.apply_to(lpn, read);
    }
    /// Calls write(lpn, access) for each deferred write, then discards those for which
    /// under_way(lpn) is false.
    template <class Write, class UnderWay>
    void write_deferred(Write&& write, UnderWay&& under_way) {
        if (state_.deferred.empty()) return;
        state_.deferred.for_each([&](std::uint64_t lpn, FunctionalAccess access) {
            write(static_cast<std::uint32_t>(lpn), access);
        });
        state_.deferred.forget_if([&](std::uint64_t lpn, const FunctionalAccess&) {
            return !under_way(static_cast<std::uint32_t>(lpn));
        });
    }
    /// Moves the contents of sectors into a page of the flash, as if they had always been there:
    /// calls put() with a functional write for each 32 known bytes.
    template <class F>
    void place(std::uint32_t lpn, std::uint32_t sectors, F&& put) {
        if (!carries()) return;
        for_each(sectors, [&](std::uint32_t i) {
            for (std::uint32_t p = i * pieces; p < (i + 1) * pieces; ++p) {
                FunctionalAccess a {std::uint64_t {p} * SectorBytes::size, 0, true,
                                    state_.unplaced.read(lpn, p)};
                if (a.data.known) put(a);
            }
            state_.unplaced.forget(lpn, i * pieces, pieces);
        });
    }
    /// Copies sectors from one page of the flash to another; `look` performs a functional access.
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
        state_.cached.functional(cached, in_page);
    }
    void functional_unplaced(std::uint32_t lpn, FunctionalAccess& in_page) {
        state_.unplaced.functional(lpn, in_page);
    }

  private:
    static constexpr std::uint32_t pieces = protocol::block_sector_pieces;

    void forget_deferred(std::uint32_t lpn, std::uint32_t sectors) {
        if (state_.deferred.empty()) return;
        state_.deferred.forget_if([&](std::uint64_t page, const FunctionalAccess& write) {
            const std::uint64_t sector = write.address / protocol::block_sector_bytes;
            return page == lpn && sectors >> sector % page_sectors_ & 1;
        });
    }
    template <class F>
    void for_each(std::uint32_t sectors, F&& f) {
        for_each_bit(sectors & low_bits(page_sectors_), f);
    }
    /// Start of the page's sector i in a record of the request.
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
    DriveContentsState& state_;
};

} // namespace memsim::flash
