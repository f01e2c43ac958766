#pragma once

#include "core/base/bits.hh"
#include "core/kernel/contents.hh"
#include "gpu/sm/coalescer.hh"

namespace memsim::gpu {

/// The contents of one access of a warp's store or atomic. If several lanes store to the same byte,
/// the last lane wins. `order`: the operation's number in the program.
inline Contents::Id contents_of(Contents& contents, const gpu_program::WarpOp& op,
                                const Coalescer::Access& access, std::uint32_t order) {
    std::array<SectorBytes, protocol::most_sectors> sectors;
    for (std::uint32_t rest = op.mask; rest; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const std::uint64_t offset = op.address[lane] - access.address;
        if (offset >= access.bytes) continue; // in another access
        SectorBytes& s = sectors[offset / protocol::sector_bytes];
        for (unsigned i = 0; i < op.width; ++i) {
            const auto at = static_cast<unsigned>(offset % protocol::sector_bytes) + i;
            s.known |= 1u << at;
            s.bytes[at] = static_cast<std::uint8_t>(op.value[lane] >> 8 * i);
            s.order[at] = order;
        }
    }
    const Contents::Id id = contents.create();
    for (std::uint32_t i = 0; i < sectors.size(); ++i)
        if (sectors[i].known) contents[id].pieces.push_back({i, sectors[i]});
    return id;
}

/// The key under which Contents records bytes left out of a sector. Applications may use the same
/// virtual addresses.
inline std::uint64_t left_out_key(std::uint64_t address, std::uint16_t application) {
    return std::uint64_t {application} << 48 | address / protocol::sector_bytes;
}

/// Records the bytes of an atomic that is executed as a load.
inline void leave_out(Contents& contents, const gpu_program::WarpOp& op, std::uint64_t base,
                      std::uint16_t application) {
    for (std::uint32_t rest = op.mask; rest; rest &= rest - 1) {
        const std::uint64_t address = base + op.address[std::countr_zero(rest)];
        const std::uint64_t bytes = low_bits(op.width);
        contents.leave_out(left_out_key(address, application),
                           static_cast<std::uint32_t>(bytes << address % protocol::sector_bytes));
    }
}

} // namespace memsim::gpu
