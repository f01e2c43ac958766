#pragma once

#include "core/kernel/component.hh"
#include "protocol/block_io.hh"

namespace memsim::protocol {

/// Implemented by components whose block requests count `sector` and `sectors` in another unit than
/// 512 bytes.
class HasBlockSize {
  public:
    static constexpr bool constant = true;
    virtual ~HasBlockSize() = default;
    virtual std::uint32_t block_bytes() const = 0;
};

/// Block size of the component connected to a port. Available before init().
inline std::uint32_t block_bytes_behind(const PortBase& mine) {
    const auto* other = mine.find_interface<const HasBlockSize>();
    return other ? other->block_bytes() : block_sector_bytes;
}

/// Refuses a drive whose blocks are not 512 bytes, for components that count in such sectors.
inline void check_block_sectors(const PortBase& mine) {
    if (const std::uint32_t bytes = block_bytes_behind(mine); bytes != block_sector_bytes)
        throw ConfigError(mine.owner().path() + "." + mine.name() +
                          ": it counts in sectors of 512B, but " + mine.neighbour_path() +
                          " in blocks of " + std::to_string(bytes) +
                          "B: give the drive blocks of 512B");
}

/// Refuses a `parameter` whose `bytes` are more than a drive moves in one request.
inline void check_block_request(const Component& owner, const char* parameter,
                                std::uint64_t bytes) {
    constexpr std::uint64_t most = std::uint64_t {BlockRequest::most_sectors} * block_sector_bytes;
    if (bytes > most)
        throw ConfigError(owner.path() + "." + parameter + ": " + bytes_text(bytes) +
                          " is more than the " + bytes_text(most) +
                          " that a drive moves in one request: make it smaller");
}

} // namespace memsim::protocol
