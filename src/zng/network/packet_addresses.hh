#pragma once

#include "zng/layout/address.hh"
#include "zng/layout/page_mask.hh"
#include "zng/network/flash_network.hh"

namespace memsim::zng {

/// Translates mapped blocks and addresses of all flash into packet fields: a place within a
/// package, and the network endpoint of that package.
class PacketAddresses {
  public:
    struct Network {
        std::uint32_t first_package = 0; ///< endpoint of the first package's first port
        std::uint32_t ports = 1;         ///< per package
    };
    PacketAddresses() = default;
    PacketAddresses(const Flash& flash, const Network& network) : flash_(flash), net_(network) {}

    /// Names the line of a physical address. `log`: the log block of its mapped block.
    void line(FlashPacket& p, std::uint64_t address, std::uint32_t log) const {
        const std::uint32_t page = flash_.page_of(address);
        const BlockPlace at = flash_.place(flash_.block_of(address), page);
        p.at = plane(at), p.block = at.block;
        p.log_block = flash_.block_in_plane(log);
        p.page = static_cast<std::uint16_t>(flash_.page_in_plane(page));
        p.line = static_cast<std::uint8_t>(flash_.offset_in_page(address) / line_bytes);
        p.destination = endpoint(at.package, p.line);
    }
    void collect(FlashPacket& p, const CollectRequest& r) const {
        const BlockPlace at = flash_.place(r.data, r.page), to = flash_.place(r.to, r.page);
        p.kind = r.op == CollectOp::move    ? PacketKind::move
                 : r.op == CollectOp::erase ? PacketKind::erase
                                            : PacketKind::extend;
        p.at = plane(at), p.block = at.block;
        p.log_block = flash_.block_in_plane(r.log);
        p.page = static_cast<std::uint16_t>(flash_.page_in_plane(r.page));
        p.to = plane(to), p.to_block = to.block;
        p.to_log = flash_.block_in_plane(r.to_log);
        p.destination = endpoint(at.package, p.at.plane);
    }
    /// The log block that a package's report concerns.
    LogLow low(const FlashPacket& p) const {
        const auto package = static_cast<std::uint32_t>(p.source - net_.first_package) / net_.ports;
        const auto number = [&](std::uint32_t block) {
            return flash_.number({package, block, p.at.die, p.at.plane});
        };
        return {number(p.log_block), number(p.block), p.page, p.to_block};
    }

  private:
    static FlashPlane plane(const BlockPlace& b) { return {b.die, b.plane}; }
    std::uint16_t endpoint(std::uint32_t package, std::uint32_t way) const {
        return static_cast<std::uint16_t>(net_.first_package + package * net_.ports +
                                          way % net_.ports);
    }

    Flash flash_;
    Network net_;
};

} // namespace memsim::zng
