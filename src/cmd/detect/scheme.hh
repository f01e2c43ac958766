#pragma once

#include "cmd/detect/detector.hh"

#include <array>
#include <string_view>

namespace memsim::cmd {

/// Where the data of an intra-duplicate are.
enum class IntraData : std::uint8_t {
    nowhere, ///< intra-duplicates are blocks as all others
    map,     ///< in the block's map entry (CMD IV-B)
    block    ///< one block in memory for each value; found without a hash
};
constexpr std::array<std::string_view, 3> names_of(IntraData) {
    return {"nowhere", "map", "block"};
}

/// What a Deduplicator does, of all that it can do.
struct Scheme {
    const Detector* detector = nullptr;
    IntraData intra = IntraData::nowhere;
    bool whole_tables = false;  ///< type, mask and map are asked for at once
    bool sectors_alone = false; ///< bytes that a write's own sectors lack are not read

    bool deduplicates() const { return detector->detects() || intra != IntraData::nowhere; }
    /// Blocks in memory are known by a digest.
    bool lists() const { return detector->detects() || intra == IntraData::block; }
};

} // namespace memsim::cmd
