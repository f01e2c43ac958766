#include "cmd/caches_above.hh"

#include <algorithm>

namespace memsim::cmd {

bool CachesAbove::add(const PortBase& port) {
    slices_.push_back({port.name(), protocol::probed(port)});
    return slices_.back().cache;
}

std::optional<CachesAbove::Fault> CachesAbove::fault(const BlockMap& map) const {
    constexpr std::uint32_t enough = 256; // blocks: chunks come round to the first slice before
    for (const auto& [port, cache] : slices_)
        if (const std::uint64_t bytes = cache->line_bytes(); bytes > block_bytes)
            return Fault {port, "lines of " + std::to_string(bytes) +
                                    "B: a request must lie within a block of 128B"};
    std::vector<std::optional<std::uint32_t>> known(slices_.size()); // what the L2 calls each slice
    for (std::uint32_t block = 0; !slices_.empty() && block < std::min(enough, map.blocks());
         ++block) {
        const std::uint64_t address = map.address(block);
        const std::size_t slice = slice_of(address);
        const auto said = slices_[slice].cache->slice_of(address);
        if (known[slice].value_or(said.value_or(0)) != said.value_or(0))
            return Fault {"interleave", "address " + std::to_string(address) +
                                            " would be in slice " + std::to_string(slice) +
                                            " of the L2, which has it in another: give both "
                                            "the same"};
        known[slice] = said;
    }
    return {};
}

SectorBytes CachesAbove::look(std::uint64_t address, bool takes_bank) {
    protocol::SectorProbe probe {address, false, false, {}};
    protocol::Probed& cache = *slices_[slice_of(address)].cache;
    cache.probe(probe);
    if (takes_bank) cache.take_bank(address);
    if (!probe.clean()) return {};
    return probe.data;
}

} // namespace memsim::cmd
