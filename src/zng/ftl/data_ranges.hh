#pragma once

#include "protocol/translation.hh"
#include "zng/ftl/merge_blocks.hh"

#include <string>

namespace memsim::zng {

/// The data blocks that each application has at the start: `footprints` are the bytes of each, such
/// as '1GiB,512MiB', and the MMU says at which block they begin. No two applications may share a
/// log block, for one would stand still as the other's is merged. Throws ConfigError, a sentence
/// about the footprints.
std::vector<BlockRange> data_ranges(const std::string& footprints, unsigned applications,
                                    const MergeBlocks::Config& blocks,
                                    const protocol::HasPages& mmu, const std::string& mmu_path);

} // namespace memsim::zng
