#pragma once

#include "core/kernel/component.hh"
#include "device_parts/page_prefetcher.hh"
#include "device_parts/record_part.hh"
#include "device_parts/sector_store.hh"
#include "protocol/block_io.hh"
#include "protocol/mem.hh"

namespace memsim::host {

using device_parts::PageName;

/// The location of pages that are not on the device: host memory, or a drive, where each
/// application's pages have their own range. A value for State: it stores the contents of host
/// memory by application.
class PageBacking {
  public:
    static constexpr std::string_view archived_as = "PageBacking";
    template <class Archive>
    void archive(Archive& a) {
        a(memory_);
    }

    /// Sizes of a page, of its chunks, and of the drive's range for each application.
    void init(std::uint64_t page, std::uint32_t chunk, std::uint64_t drive_space, bool on_drive) {
        page_ = page, chunk_ = chunk, space_ = drive_space, on_drive_ = on_drive;
    }
    /// The first sector of a page on the drive.
    std::uint64_t sector(const PageName& p) const {
        constexpr std::uint64_t bytes = protocol::block_sector_bytes;
        return p.application * (space_ / bytes) + p.page * (page_ / bytes);
    }
    /// The contents of chunk n of a page, from host memory or from `fetched`, which was read from
    /// the drive.
    Contents::Id chunk(Contents& contents, const PageName& p, Contents::Id fetched,
                       std::uint32_t n) {
        Contents::Id id;
        if (on_drive_) {
            const std::uint32_t sectors = chunk_ / SectorBytes::size;
            id = device_parts::part_of(contents, fetched, n * sectors, sectors);
        } else {
            protocol::MemRequest here;
            here.bytes = chunk_;
            here.address = p.page * page_ + std::uint64_t {n} * chunk_;
            id = memory(p.application).read(contents, here);
        }
        contents[id].moves = true;
        return id;
    }
    /// Stores a chunk that was copied out, starting at this sector of its page, into host memory,
    /// or into `out`, which is written to the drive.
    void keep(Contents& contents, const PageName& p, Contents::Id& out, std::uint64_t sector,
              Contents::Id copied) {
        if (!on_drive_) // as stores: later writes of the program's host are younger
            return memory(p.application)
                .write(contents, p.page * page_ / SectorBytes::size + sector, copied);
        if (!out) out = contents.create();
        device_parts::add_part(contents, out, static_cast<std::uint32_t>(sector), copied);
    }
    /// Functional access to the contents of a page; `drive`: the port to the drive.
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
    device_parts::SectorStore& memory(std::uint16_t application) {
        if (memory_.size() <= application) memory_.resize(application + 1u);
        return memory_[application];
    }
    std::vector<device_parts::SectorStore> memory_;
    std::uint64_t page_ = 4096, space_ = 0;
    std::uint32_t chunk_ = 128;
    bool on_drive_ = false;
};

} // namespace memsim::host
