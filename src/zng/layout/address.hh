#pragma once

#include "core/base/error.hh"
#include "core/state/hash_map.hh"

#include <cstdint>

namespace memsim::zng {

/// The location of a flash block.
struct BlockPlace {
    std::uint32_t package = 0;
    std::uint32_t block = 0; ///< within the plane
    std::uint8_t die = 0, plane = 0;
    bool operator==(const BlockPlace&) const = default;
};

/// The geometry of all flash and its physical addresses.
///
/// A mapped block is the unit of the data block mapping table (DBMT). It consists of one flash
/// block in each of the `span` planes of a group. Address = mapped block x block_bytes() + page x
/// page_bytes + offset. Consecutive pages of a mapped block lie in consecutive planes of its group,
/// so contiguous addresses use all its planes in parallel. With `across`, a group contains equally
/// many planes of each package, and consecutive pages lie in different packages. Without it, all
/// planes of a group belong to one package. Mapped block numbers are mixed radix: the lowest digit
/// is the group (without `across`: package, then group within the package), the highest the block
/// within the plane. Addresses use only the first `data_pages` pages of a flash block. A value
/// below `pages` spreads the data of a scaled-down run over as many blocks as a full-size run uses.
///
/// Requires      `span` divides the planes of a package, or all planes if `across` is set. With
///               `across`, `packages` divides `span`.
struct Flash {
    std::uint32_t packages = 16, dies = 8,
                  planes = 8;    ///< ZnG table I; dies per package, planes per die
    std::uint32_t blocks = 1024; ///< per plane
    std::uint32_t pages = 384;   ///< per block
    std::uint32_t page_bytes = 4096;
    std::uint32_t data_pages = pages; ///< pages per block that addresses use
    std::uint32_t span = 1;           ///< planes per group
    bool across = false;              ///< groups contain planes of all packages

    std::uint32_t package_planes() const { return dies * planes; }
    std::uint32_t all_planes() const { return packages * package_planes(); }
    std::uint32_t groups() const { return all_planes() / span; }
    /// Sizes of a mapped block, as far as addresses use it.
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

    /// The flash block that holds a page of a mapped block, as page `page_in_plane` of that block.
    BlockPlace place(std::uint32_t number, std::uint32_t page = 0) const {
        BlockPlace p;
        std::uint32_t plane = group_of(number); // within the package
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
    /// The mapped block that contains a flash block.
    std::uint32_t number(const BlockPlace& p) const {
        const std::uint32_t plane = p.plane * dies + p.die;
        return in_group(across ? (plane * packages + p.package) / span
                               : plane / span * packages + p.package,
                        p.block);
    }
    /// Mapped blocks of one group use the same planes.
    std::uint32_t group_of(std::uint32_t number) const { return number % groups(); }
    std::uint32_t block_in_plane(std::uint32_t number) const { return number / groups(); }
    std::uint32_t in_group(std::uint32_t group, std::uint32_t block) const {
        return block * groups() + group;
    }

    /// Groups to which data of a group can move. Data move only within a package: to groups of the
    /// same package, or to all groups if `across` is set.
    std::uint32_t reachable_groups() const { return across ? groups() : groups() / packages; }
    std::uint32_t reachable_group(std::uint32_t from, std::uint32_t i) const {
        return across ? i : from % packages + i * packages;
    }
    bool reaches(std::uint32_t from, std::uint32_t to) const {
        return across || from % packages == to % packages;
    }
};

/// The log block mapping table (LBMT): the log block that receives the writes to each data block.
/// Both are mapped blocks of one group. Initially, the first `data_blocks` blocks of each group
/// hold data, each `ratio` consecutive data blocks share one of the blocks that follow, and the
/// remaining blocks are free. The garbage collector changes the table. A value for State: only
/// changed entries use memory.
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
    /// The log block at the start of the run.
    std::uint32_t first_log_of(std::uint32_t data) const {
        return flash_.in_group(flash_.group_of(data),
                               data_blocks_ + flash_.block_in_plane(data) / ratio_);
    }
    /// Log blocks per group at the start. Free blocks follow them.
    std::uint32_t logs_of_group() const { return (data_blocks_ + ratio_ - 1) / ratio_; }

  private:
    Flash flash_ {};
    std::uint32_t data_blocks_ = 1, ratio_ = 1;
    HashMap<std::uint32_t> changed_;
};

/// Implemented by the owner of the LBMT. At set-up, flash controllers query the owner of the port
/// that is bound to their `collector`; they then read the table directly. A look-up takes no time,
/// because DBMT entries hold the log block and the MMU sends it with the translation.
class HasLogBlocks {
  public:
    virtual ~HasLogBlocks() = default;
    virtual const LogBlocks& log_blocks() const = 0;
};

} // namespace memsim::zng
