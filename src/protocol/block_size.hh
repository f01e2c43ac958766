#pragma once

#include "core/component.hh"
#include "protocol/block_io.hh"

namespace memsim::protocol {

/// Implemented by what takes block requests whose `sector` and `sectors` count blocks of another
/// size than 512 bytes.
class HasBlockSize {
  public:
    virtual ~HasBlockSize() = default;
    virtual std::uint32_t block_bytes() const = 0;
};

/// Of what is bound to a port. Known before init().
inline std::uint32_t block_bytes_behind(const PortBase& mine) {
    const auto* other = dynamic_cast<const HasBlockSize*>(&mine.peer()->owner());
    return other ? other->block_bytes() : block_sector_bytes;
}

} // namespace memsim::protocol
