#pragma once

#include "cmd/tables/block_map.hh"
#include "protocol/probe.hh"

#include <optional>
#include <string>
#include <vector>

namespace memsim::cmd {

/// The L2 slices above the controllers, from which a controller copies sectors. Addresses are
/// interleaved in chunks over controllers and, within a controller, over its slices. A part.
class CachesAbove {
  public:
    CachesAbove(std::uint64_t chunk, unsigned channels) : chunk_(chunk), channels_(channels) {}

    /// Adds the next slice, bound to a port of the controller. Returns false if it is not a cache.
    bool add(const PortBase& port);

    /// Checks that the slices serve the addresses at which they are looked up. Returns the end of
    /// an error sentence if one does not. Call from start(): caches know their addresses after
    /// init().
    std::optional<std::string> fault(const BlockMap& map) const;

    /// The sector at a machine address; its bytes are known if the line is valid and clean. The
    /// look-up may occupy the cache bank.
    SectorBytes read(std::uint64_t address, bool takes_bank);

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
