#include "mem/page_cache/params.hh"

#include "protocol/block_io.hh"

#include <bit>

namespace memsim::mem {

std::optional<Fault> fault_of(const PageCacheParams& p, const std::string& drive,
                              std::uint32_t drive_block) {
    const std::uint64_t unit = p.unit_bytes(),
                        capacity = static_cast<std::uint64_t>(p.capacity->raw);
    if (!std::has_single_bit(unit)) return Fault {"unit", "must be a power of two"};
    if (!std::has_single_bit(static_cast<std::uint64_t>(p.line->raw)))
        return Fault {"line", "must be a power of two"};
    if (p.line->raw > p.unit->raw)
        return Fault {"line", p.line.text() + " is more than a unit of " + p.unit.text() +
                                  ": take smaller lines or larger units"};
    if (p.dram_base->raw % p.line->raw)
        return Fault {"dram_base",
                      p.dram_base.text() + " must be a multiple of the line of " + p.line.text()};
    if (capacity < unit || capacity % unit)
        return Fault {"capacity",
                      p.capacity.text() + " is not a whole number of units of " + p.unit.text()};
    const std::string block = Text<Bytes>::show({drive_block});
    if (unit % drive_block)
        return Fault {"unit", p.unit.text() + " is less than a block of " + drive + ", " + block +
                                  ": take larger units, or a flash.SectorMerger before the drive"};
    if (p.drive_base->raw % drive_block)
        return Fault {"drive_base", "must be a multiple of a drive's sector of " + block};
    const std::int64_t most = std::int64_t {protocol::BlockRequest::most_sectors} * drive_block;
    if (p.batch() * unit > static_cast<std::uint64_t>(most))
        return Fault {"batch", p.batch.text() + " units of " + p.unit.text() +
                                   " are more than the " + Text<Bytes>::show({most}) +
                                   " that a drive reads in one request"};
    if (p.group_units() > 64 || p.group_units() * unit > static_cast<std::uint64_t>(most))
        return Fault {"write_group", p.write_group.text() + " is more than 64 units of " +
                                         p.unit.text() + ", or than the " +
                                         Text<Bytes>::show({most}) +
                                         " that a drive writes in one request"};
    return {};
}

} // namespace memsim::mem
