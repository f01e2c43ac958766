#pragma once

#include "core/base/error.hh"
#include "core/state/hash_map.hh"

#include <cstdint>

namespace memsim::zng {

/// Where a block lies.
struct BlockPlace {
    std::uint32_t package = 0;
    std::uint32_t block = 0; ///< of the plane
    std::uint8_t die = 0, plane = 0;
    bool operator==(const BlockPlace&) const = default;
};

/// All flash of the machine and its physical addresses.
///
/// A mapped block consists of one flash block of each of the `span` planes of a group; the DBMT
/// maps it as a whole. An address is mapped block x bytes of one + page x page bytes + offset.
/// Consecutive pages of a mapped block lie in consecutive planes of its group, so its addresses are
/// contiguous although its planes work at once. With `across` a group has as many planes of each
/// package, and consecutive pages lie in different packages; without, all its planes are of one
/// package. Numbers of mapped blocks are mixed radix: the group is the lowest digit (without
/// `across`, the package and then the group of the package), the block of the plane the highest.
/// Of a flash block's pages, addresses name the first `data_pages`: fewer than all spread the data
/// of a small run over as many blocks as a large run has.
///
/// Requires      `span` divides the planes of a package, or, with `across`, all planes; with
///               `across` the packages divide `span`.
struct Flash {
    std::uint32_t packages = 16, dies = 8, planes = 8; ///< ZnG table I; each of the one before
    std::uint32_t blocks = 1024;                       ///< of a plane
    std::uint32_t pages = 384;                         ///< of a block
    std::uint32_t page_bytes = 4096;
    std::uint32_t data_pages = pages; ///< of a block, that addresses name
    std::uint32_t span = 1;           ///< planes of a group
    bool across = false;              ///< groups consist of planes of all packages

    std::uint32_t package_planes() const { return dies * planes; }
    std::uint32_t all_planes() const { return packages * package_planes(); }
    std::uint32_t groups() const { return all_planes() / span; }
    /// Of addresses: pages and bytes of a mapped block.
    std::uint32_t mapped_pages() const { return data_pages * span; }
    std::uint64_t block_bytes() const { return std::uint64_t {mapped_pages()} * page_bytes; }
    std::uint64_t all_blocks() const { return std::uint64_t {groups()} * blocks; }
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

    /// The flash block that holds a page of a mapped block; there it is page `page_in_plane`.
    BlockPlace place(std::uint32_t number, std::uint32_t page = 0) const {
        BlockPlace p;
        std::uint32_t plane = group_of(number); // of the package
        const std::uint32_t member = page % span;
        if (across) {
            plane = plane * span + member;
            p.package = plane % packages, plane /= packages;
        } else {
            p.package = plane % packages;
            plane = plane / packages * span + member;
        }
        p.die = static_cast<std::uint8_t>(plane % dies);
        p.plane = static_cast<std::uint8_t>(plane / dies);
        p.block = block_in_plane(number);
        return p;
    }
    std::uint32_t page_in_plane(std::uint32_t page) const { return page / span; }
    std::uint32_t package_of(std::uint32_t number, std::uint32_t page = 0) const {
        const std::uint32_t group = group_of(number);
        return across ? (group * span + page % span) % packages : group % packages;
    }
    /// The mapped block that a flash block belongs to.
    std::uint32_t number(const BlockPlace& p) const {
        const std::uint32_t plane = p.plane * dies + p.die;
        return in_group(across ? (plane * packages + p.package) / span
                               : plane / span * packages + p.package,
                        p.block);
    }
    /// Mapped blocks of one group consist of blocks of the same planes.
    std::uint32_t group_of(std::uint32_t number) const { return number % groups(); }
    std::uint32_t block_in_plane(std::uint32_t number) const { return number / groups(); }
    std::uint32_t in_group(std::uint32_t group, std::uint32_t block) const {
        return block * groups() + group;
    }

    /// Data move only within a package, so between groups whose pages lie in the same packages: the
    /// groups of a package, or, with `across`, all.
    std::uint32_t reachable_groups() const { return across ? groups() : groups() / packages; }
    std::uint32_t reachable_group(std::uint32_t from, std::uint32_t i) const {
        return across ? i : from % packages + i * packages;
    }
    bool reaches(std::uint32_t from, std::uint32_t to) const {
        return across || from % packages == to % packages;
    }
};

/// The log block mapping table (LBMT): which log block takes the writes to a data block. Both are
/// mapped blocks of one group. At the start, the first `data_blocks` blocks of each group hold
/// data, and `ratio` consecutive ones share one of the blocks that follow; the rest is free. The
/// collector changes it. A value for State: only what was changed costs memory.
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
        MEMSIM_ASSERT(flash_.group_of(data) == flash_.group_of(log),
                      "a log block lies in the planes of its data blocks");
        changed_[data] = log;
    }
    void forget(std::uint32_t data) { changed_.erase(data); }
    /// Where it was at the start.
    std::uint32_t first_log_of(std::uint32_t data) const {
        return flash_.in_group(flash_.group_of(data),
                               data_blocks_ + flash_.block_in_plane(data) / ratio_);
    }
    /// Log blocks of a group at the start; free ones begin behind them.
    std::uint32_t logs_of_group() const { return (data_blocks_ + ratio_ - 1) / ratio_; }

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
