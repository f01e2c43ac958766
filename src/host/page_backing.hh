#pragma once

#include "core/kernel/component.hh"
#include "parts/page_prefetcher.hh"
#include "parts/record_part.hh"
#include "parts/sector_store.hh"
#include "protocol/block_io.hh"
#include "protocol/mem.hh"

namespace memsim::host {

using parts::PageName;

/// Where pages are that are not on the device: in host memory, or on a drive, where each
/// application's pages begin at a place of their own. A value for State: host memory keeps what
/// they hold, by application.
class PageBacking {
  public:
    static constexpr std::string_view archived_as = "PageBacking";
    template <class Archive>
    void archive(Archive& a) {
        a(memory_);
    }

    /// Bytes of a page and of a chunk of it, and of the drive for each application.
    void init(std::uint64_t page, std::uint32_t chunk, std::uint64_t drive_space, bool on_drive) {
        page_ = page, chunk_ = chunk, space_ = drive_space, on_drive_ = on_drive;
    }
    /// The drive's sector at which a page begins.
    std::uint64_t sector(const PageName& p) const {
        constexpr std::uint64_t bytes = protocol::block_sector_bytes;
        return p.application * (space_ / bytes) + p.page * (page_ / bytes);
    }
    /// What chunk number n of a page holds, from host memory or from `fetched`, which came from the
    /// drive.
    Contents::Id chunk(Contents& contents, const PageName& p, Contents::Id fetched,
                       std::uint32_t n) {
        Contents::Id id;
        if (on_drive_) {
            const std::uint32_t sectors = chunk_ / SectorBytes::size;
            id = parts::part_of(contents, fetched, n * sectors, sectors);
        } else {
            protocol::MemRequest here;
            here.bytes = chunk_;
            here.address = p.page * page_ + std::uint64_t {n} * chunk_;
            id = memory(p.application).read(contents, here);
        }
        contents[id].moves = true;
        return id;
    }
    /// A chunk that was copied out, from this sector of its page on, goes into host memory, or into
    /// `out`, which is written to the drive.
    void keep(Contents& contents, const PageName& p, Contents::Id& out, std::uint64_t sector,
              Contents::Id copied) {
        if (!on_drive_) // as stores: what the program's host has written here meanwhile is younger
            return memory(p.application)
                .write(contents, p.page * page_ / SectorBytes::size + sector, copied);
        if (!out) out = contents.create();
        parts::add_part(contents, out, static_cast<std::uint32_t>(sector), copied);
    }
    /// A look that takes no time at what a page holds; `drive`: the port to it.
    void functional(FunctionalAccess& access, const PortBase* drive) {
        if (!on_drive_) return memory(access.application).functional(access);
        const std::uint64_t address = access.address;
        access.address =
            sector({address / page_, access.application}) * protocol::block_sector_bytes +
            address % page_;
        look_through(*drive, access);
        access.address = address;
    }

  private:
    parts::SectorStore& memory(std::uint16_t application) {
        if (memory_.size() <= application) memory_.resize(application + 1u);
        return memory_[application];
    }
    std::vector<parts::SectorStore> memory_;
    std::uint64_t page_ = 4096, space_ = 0;
    std::uint32_t chunk_ = 128;
    bool on_drive_ = false;
};

} // namespace memsim::host
