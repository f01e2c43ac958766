#pragma once

#include "core/kernel/contents.hh"
#include "core/kernel/port.hh"
#include "core/kernel/stamps.hh"

/// Block requests of a host, a file system or a page-fault handler to a drive.
namespace memsim::protocol {

inline constexpr std::uint32_t block_sector_bytes = 512; ///< unit of addresses and lengths
/// Pieces of contents (core/kernel/contents.hh) per sector. A functional access to a drive
/// (FunctionalAccess) has a byte address: sector x block_sector_bytes + offset.
inline constexpr std::uint32_t block_sector_pieces = block_sector_bytes / SectorBytes::size;

/// `trim`: discards the sectors, which then read as zeros. `flush`: answered when all earlier
/// writes are in the flash.
enum class BlockOp : std::uint8_t { read, write, trim, flush };
constexpr std::array<std::string_view, 4> names_of(BlockOp) {
    return {"read", "write", "trim", "flush"};
}

struct BlockRequest {
    static constexpr std::uint32_t header_bytes = 64;   ///< NVMe's submission entry
    static constexpr std::uint32_t most_sectors = 1024; ///< in a read or a write
    static constexpr std::uint32_t largest_wire_bytes =
        header_bytes + most_sectors * block_sector_bytes;

    std::uint64_t sector = 0;
    std::uint64_t sectors = 0;
    Contents::Id contents; ///< of a write, in pieces of 32 bytes from the first sector
    std::uint32_t tag = 0; ///< chosen by the sender, returned in the response
    BlockOp op = BlockOp::read;
    bool urgent = false;  ///< precedes other requests in a common queue
    Stamps::Id stamps {}; ///< of a read: those of a request that waits for it

    std::uint32_t wire_bytes() const {
        return header_bytes + (op == BlockOp::write
                                   ? static_cast<std::uint32_t>(sectors) * block_sector_bytes
                                   : 0);
    }
};

struct BlockResponse {
    static constexpr std::uint32_t header_bytes = 16; ///< NVMe's completion entry
    static constexpr std::uint32_t largest_wire_bytes =
        header_bytes + BlockRequest::most_sectors * block_sector_bytes;

    std::uint64_t sectors = 0;
    Contents::Id contents; ///< of a read, in the format of a write's
    std::uint32_t tag = 0;
    BlockOp op = BlockOp::read;

    std::uint32_t wire_bytes() const {
        return header_bytes +
               (op == BlockOp::read ? static_cast<std::uint32_t>(sectors) * block_sector_bytes : 0);
    }
};

struct BlockIo : MessageFamily<BlockRequest, BlockResponse> {};

} // namespace memsim::protocol
