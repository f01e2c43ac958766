#include "zng/ftl/data_ranges.hh"

#include "core/base/text.hh"
#include "core/declare/param.hh"

namespace memsim::zng {

std::vector<BlockRange> data_ranges(const std::string& footprints, unsigned applications,
                                    const MergeBlocks::Config& blocks,
                                    const protocol::HasPages& mmu, const std::string& mmu_path) {
    const std::vector<std::string_view> texts = elements_of(footprints);
    if (texts.size() != applications)
        throw ConfigError("'" + footprints + "' has " + std::to_string(texts.size()) +
                          " values for " + std::to_string(applications) + " applications");
    const Flash& flash = blocks.flash;
    const std::uint64_t row = std::uint64_t {flash.groups()} * blocks.ratio;
    const std::uint64_t data = std::uint64_t {flash.groups()} * blocks.data_blocks;
    std::vector<BlockRange> ranges;
    for (unsigned i = 0; i < applications; ++i) {
        const std::uint64_t bytes = parse_bytes(texts[i]);
        const std::uint64_t count = (bytes + flash.block_bytes() - 1) / flash.block_bytes();
        const std::optional<std::uint64_t> first =
            mmu.frame_at_start(static_cast<std::uint16_t>(i));
        if (!first)
            throw ConfigError(mmu_path + " must place pages by identity, for data blocks of one "
                                         "log block to belong to one application");
        if (*first + count > data)
            throw ConfigError("the flash is full: application " + std::to_string(i) +
                              " ends at block " + std::to_string(*first + count) + ", but only " +
                              std::to_string(data) + " blocks hold data");
        ranges.push_back({static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(count)});
        for (unsigned j = 0; j < i; ++j)
            if (ranges[j].shares_rows_with(ranges[i], row))
                throw ConfigError("applications " + std::to_string(j) + " and " +
                                  std::to_string(i) +
                                  " would share log blocks: make the MMU's address_space " +
                                  std::to_string(row * flash.block_bytes()) +
                                  "B larger than the largest footprint");
    }
    return ranges;
}

} // namespace memsim::zng
