#include "cmd/controller/caches_above.hh"

#include <algorithm>

namespace memsim::cmd {

bool CachesAbove::add(const PortBase& port) {
    slices_.push_back({port.name(), port.neighbour_path(), protocol::probed(port)});
    return slices_.back().cache;
}

std::optional<std::string> CachesAbove::fault(const BlockMap& map) const {
    constexpr std::uint32_t enough = 256; // blocks, after which interleaving has reached each slice
    for (std::uint32_t block = 0; !slices_.empty() && block < std::min(enough, map.blocks());
         ++block) {
        const std::uint64_t address = map.address(block);
        const std::size_t slice = slice_of(address);
        if (!slices_[slice].cache->sees(address))
            return "address " + std::to_string(address) + " is looked up by " +
                   slices_[slice].port + " in " + slices_[slice].path +
                   ", which does not serve it: give both the same";
    }
    return {};
}

SectorBytes CachesAbove::read(std::uint64_t address, bool takes_bank) {
    protocol::SectorProbe probe {address, false, false, {}};
    protocol::Probed& cache = *slices_[slice_of(address)].cache;
    cache.probe(probe);
    if (takes_bank) cache.take_bank(address);
    if (!probe.clean()) return {};
    return probe.data;
}

} // namespace memsim::cmd
