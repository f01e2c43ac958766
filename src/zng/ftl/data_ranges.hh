#pragma once

#include "protocol/translation.hh"
#include "zng/ftl/merge_blocks.hh"

#include <string>

namespace memsim::zng {

/// The data blocks of each application at the start. `footprints` lists the bytes of each
/// application, such as '1GiB,512MiB'; the MMU supplies the first block. Throws ConfigError if the
/// list is invalid or if two applications share a log block, because a merge for one application
/// would stop the other, too.
std::vector<BlockRange> data_ranges(const std::string& footprints, unsigned applications,
                                    const MergeBlocks::Config& blocks,
                                    const protocol::HasPages& mmu, const std::string& mmu_path);

} // namespace memsim::zng
