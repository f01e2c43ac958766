#pragma once

#include "core/kernel/component.hh"
#include "zng/layout/address.hh"
#include "zng/layout/page_mask.hh"

namespace memsim::zng {

/// Dimensions of a package, and the blocks that hold data and logs at the start.
struct PackageGeometry {
    using group = void;
    Param<unsigned> dies {8, {1, 64}, "Dies per package", stated("ZnG table I: 8")};
    Param<unsigned> planes {8, {1, 64}, "Planes per die", stated("ZnG table I: 8")};
    Param<unsigned> blocks {1024, {1, 1u << 20}, "Blocks per plane", stated("ZnG table I: 1024")};
    Param<unsigned> pages {384, {1, 32768}, "Pages per block", stated("ZnG table I: 384")};
    Param<unsigned> data_blocks {
        796,
        {1, 1u << 20},
        "Blocks per plane that hold data at the start",
        cited(
            "FlashGPU's flasharray-src, config/flasharray.cfg: OverProvisioningRatio 0.22265625")};
    Param<unsigned> log_ratio {
        4, {1, 1024}, "Data blocks per log block", assumed("no source gives it; range 1-16")};
};

/// Dimensions of all packages, for components that use physical addresses.
struct FlashGeometry {
    using group = void;
    Param<unsigned> packages {16, {1, 256}, "Packages in the network", stated("ZnG table I: 16")};
    PackageGeometry package;
    Param<unsigned> data_pages {
        0,
        {0, 32768},
        "Pages per data block that addresses use (0: all; scaled with footprints)",
        assumed("addresses name all pages")};
    Param<unsigned> span {
        1,
        {1, 16384},
        "Planes over which a mapped block extends (1: a mapped block is one flash block)",
        assumed("a mapped block is a flash block")};
    Param<bool> across {false,
                        "Spread a mapped block over all packages; otherwise over one package",
                        switched_off()};

    /// The geometry as a value. Throws ConfigError, naming the component at `path`, if it is
    /// invalid.
    Flash flash(const std::string& path) const {
        if (data_pages() > package.pages())
            throw ConfigError(path + ".data_pages: " + std::to_string(data_pages()) +
                              " exceeds the " + std::to_string(package.pages()) +
                              " pages of a block");
        const Flash all {packages(),
                         package.dies(),
                         package.planes(),
                         package.blocks(),
                         package.pages(),
                         page_bytes,
                         data_pages() ? data_pages() : package.pages(),
                         span(),
                         across()};
        const std::uint32_t of = across() ? all.all_planes() : all.package_planes();
        if (of % span() || (across() && span() % packages()))
            throw ConfigError(path + ".span: a mapped block of " + std::to_string(span()) +
                              " planes does not divide the " + std::to_string(of) + " planes" +
                              (across() ? " of " + std::to_string(packages()) + " packages" : ""));
        if (std::uint64_t {all.all_planes()} * all.blocks > ~std::uint32_t {0})
            throw ConfigError(path + ".blocks: the flash has " +
                              std::to_string(std::uint64_t {all.all_planes()} * all.blocks) +
                              " blocks; the maximum is 4294967295");
        return all;
    }
    /// The initial log blocks. Throws ConfigError unless `spare` blocks of each plane remain free.
    LogBlocks log_blocks(const std::string& path, std::uint32_t spare) const {
        LogBlocks logs(flash(path), package.data_blocks(), package.log_ratio());
        if (package.data_blocks() + logs.logs_of_group() + spare > package.blocks())
            throw ConfigError(path + ".data_blocks: " + std::to_string(package.data_blocks()) +
                              " data blocks and " + std::to_string(logs.logs_of_group()) +
                              " log blocks" + (spare ? " and one block to merge into" : "") +
                              " exceed the " + std::to_string(package.blocks()) +
                              " blocks of a plane: over-provision more (reduce data_blocks)");
        return logs;
    }
};

/// Implemented by flash controllers: the geometry with which they compute the location of a line.
class HasNetworkGeometry {
  public:
    static constexpr bool constant = true;
    virtual ~HasNetworkGeometry() = default;
    virtual const FlashGeometry& network_geometry() const = 0;
};

/// Implemented by flash packages.
class HasPackageGeometry {
  public:
    static constexpr bool constant = true;
    virtual ~HasPackageGeometry() = default;
    virtual const PackageGeometry& package_geometry() const = 0;
    virtual unsigned network_ports() const = 0;
};

/// Throws ConfigError if `theirs` differs from `mine`: the component that computes the location of
/// a line and the component that looks it up must agree.
template <class Geometry>
void check_same_geometry(const std::string& me, const Geometry& mine, const std::string& other,
                         const Geometry& theirs) {
    const std::vector<ParamRef> a = params_of(mine), b = params_of(theirs);
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i].operations->number(a[i].param) != b[i].operations->number(b[i].param))
            throw ConfigError(
                other + "." + std::string(b[i].name) + ": " + b[i].text() + ", but " + me +
                " has " + a[i].text() +
                ": flash controllers, garbage collector and packages must have the same geometry");
}

} // namespace memsim::zng
