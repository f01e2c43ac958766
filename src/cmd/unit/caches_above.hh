#pragma once

#include "cmd/tables/block_map.hh"
#include "protocol/probe.hh"

#include <optional>
#include <string>
#include <vector>

namespace memsim::cmd {

/// The L2's slices above the controllers, from which a controller copies sectors. Addresses are
/// spread over controllers and, within a controller, over its slices, a chunk to each in turn. A
/// part.
class CachesAbove {
  public:
    CachesAbove(std::uint64_t chunk, unsigned channels) : chunk_(chunk), channels_(channels) {}

    /// The next slice: what is bound to a port of the controller; false if it is no cache.
    bool add(const PortBase& port);

    /// The caches must see the addresses that they are looked into for: the end of a sentence if
    /// one does not. For start(): caches know it after their init().
    std::optional<std::string> fault(const BlockMap& map) const;

    /// The sector at an address of the machine, known if it is valid there and clean. The look may
    /// take the bank in which it is.
    SectorBytes look(std::uint64_t address, bool takes_bank);

  private:
    struct Slice {
        std::string port, path;
        protocol::Probed* cache;
    };
    std::size_t slice_of(std::uint64_t address) const {
        return address / chunk_ / channels_ % slices_.size();
    }

    std::uint64_t chunk_;
    unsigned channels_;
    std::vector<Slice> slices_;
};

} // namespace memsim::cmd
