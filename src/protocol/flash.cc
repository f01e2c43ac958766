#include "protocol/flash.hh"

#include "core/kernel/component.hh"

namespace memsim::protocol {

void check_flash_geometry(const PortBase& mine, const FlashGeometry& stated) {
    const std::string& other = mine.neighbour_path();
    const auto* has = mine.find_interface<const HasFlashGeometry>();
    if (!has) return;
    const FlashGeometry theirs = has->flash_geometry();
    const auto check = [&](const char* name, std::uint32_t own, std::uint32_t others) {
        if (own && others && own != others)
            throw ConfigError(mine.owner().path() + "." + name + ": " + std::to_string(own) +
                              ", but " + other + " has " + std::to_string(others) +
                              ": give both the same");
    };
    check("packages", stated.packages, theirs.packages);
    check("dies", stated.dies, theirs.dies);
    check("planes", stated.planes, theirs.planes);
    check("blocks", stated.blocks, theirs.blocks);
    check("pages", stated.pages, theirs.pages);
    if (theirs.registers && stated.registers > theirs.registers)
        check("registers", stated.registers, theirs.registers);
    if (stated.independent_planes && theirs.independent_planes &&
        *stated.independent_planes != *theirs.independent_planes)
        throw ConfigError(mine.owner().path() + ".independent_planes: it differs from that of " +
                          other + ": give both the same");
}

} // namespace memsim::protocol
