#pragma once

#include "core/error.hh"
#include "core/hash_map.hh"

#include <cstdint>

namespace memsim::zng {

/// Where a block lies.
struct BlockPlace {
    std::uint32_t package = 0;
    std::uint32_t block = 0; ///< of the plane
    std::uint8_t die = 0, plane = 0;
    bool operator==(const BlockPlace&) const = default;
};

/// All flash of the machine and its physical addresses: an address is block number x block bytes +
/// offset, so one data block's pages are neighbours. Block numbers are mixed radix: the package is
/// the lowest digit, then the die, the plane, and the block of the plane, so that neighbouring
/// blocks lie in different packages. Of a block's pages, addresses name the first `data_pages`:
/// fewer than all spread the data of a small run over as many blocks as a large one's would be in.
struct Flash {
    std::uint32_t packages = 16, dies = 8, planes = 8; ///< ZnG table I; each of the one before
    std::uint32_t blocks = 1024;                       ///< of a plane
    std::uint32_t pages = 384;                         ///< of a block
    std::uint32_t page_bytes = 4096;
    std::uint32_t data_pages = pages; ///< of a block, that addresses name

    /// Of addresses: what a data block holds.
    std::uint64_t block_bytes() const { return std::uint64_t {data_pages} * page_bytes; }
    std::uint32_t all_planes() const { return packages * dies * planes; }
    std::uint64_t all_blocks() const { return std::uint64_t {all_planes()} * blocks; }
    std::uint64_t capacity() const { return all_blocks() * block_bytes(); }

    std::uint32_t block_of(std::uint64_t address) const {
        return static_cast<std::uint32_t>(address / block_bytes());
    }
    std::uint32_t page_of(std::uint64_t address) const {
        return static_cast<std::uint32_t>(address % block_bytes() / page_bytes);
    }
    std::uint32_t offset_in_page(std::uint64_t address) const {
        return static_cast<std::uint32_t>(address % page_bytes);
    }
    std::uint64_t address(std::uint32_t block, std::uint32_t page = 0,
                          std::uint32_t offset = 0) const {
        return block * block_bytes() + std::uint64_t {page} * page_bytes + offset;
    }

    BlockPlace place(std::uint32_t number) const {
        BlockPlace p;
        p.package = number % packages, number /= packages;
        p.die = static_cast<std::uint8_t>(number % dies), number /= dies;
        p.plane = static_cast<std::uint8_t>(number % planes);
        p.block = number / planes;
        return p;
    }
    std::uint32_t number(const BlockPlace& p) const {
        return ((p.block * planes + p.plane) * dies + p.die) * packages + p.package;
    }
    /// The plane of all, by which blocks of one plane have equal numbers.
    std::uint32_t plane_of(std::uint32_t number) const { return number % all_planes(); }
    std::uint32_t block_in_plane(std::uint32_t number) const { return number / all_planes(); }
    std::uint32_t in_plane(std::uint32_t plane, std::uint32_t block) const {
        return block * all_planes() + plane;
    }
};

/// The log block mapping table (LBMT): which log block takes the writes to a data block. At the
/// start, the first `data_blocks` blocks of each plane hold data, and `ratio` of them, neighbours
/// in their plane, share one of the blocks that follow; the rest is free. The collector changes it.
/// A value for State: only what was changed costs memory.
class LogBlocks {
  public:
    static constexpr std::string_view archived_as = "LogBlocks";
    template <class Archive>
    void archive(Archive& a) {
        a(changed_);
    }

    LogBlocks() = default;
    LogBlocks(const Flash& flash, std::uint32_t data_blocks, std::uint32_t ratio)
        : flash_(flash), data_blocks_(data_blocks), ratio_(ratio) {}

    std::uint32_t log_of(std::uint32_t data) const {
        const std::uint32_t* const changed = changed_.find(data);
        return changed ? *changed : first_log_of(data);
    }
    void change(std::uint32_t data, std::uint32_t log) {
        MEMSIM_ASSERT(flash_.plane_of(data) == flash_.plane_of(log),
                      "a log block lies in the plane of its data blocks");
        changed_[data] = log;
    }
    void forget(std::uint32_t data) { changed_.erase(data); }
    /// Where it was at the start.
    std::uint32_t first_log_of(std::uint32_t data) const {
        return flash_.in_plane(flash_.plane_of(data),
                               data_blocks_ + flash_.block_in_plane(data) / ratio_);
    }
    /// Log blocks of a plane at the start; free ones begin behind them.
    std::uint32_t logs_of_plane() const { return (data_blocks_ + ratio_ - 1) / ratio_; }

  private:
    Flash flash_ {};
    std::uint32_t data_blocks_ = 1, ratio_ = 1;
    HashMap<std::uint32_t> changed_;
};

/// Who keeps the LBMT: flash controllers ask the owner of the port that is bound to their
/// `collector` at set-up, and read the table whenever they need it: the MMU has sent what it says
/// along with the translation (DBMT entries hold the log block), so it costs no time.
class HasLogBlocks {
  public:
    virtual ~HasLogBlocks() = default;
    virtual const LogBlocks& log_blocks() const = 0;
};

} // namespace memsim::zng
