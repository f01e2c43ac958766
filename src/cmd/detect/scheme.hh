#pragma once

#include "cmd/detect/detector.hh"

#include <array>
#include <string_view>

namespace memsim::cmd {

/// The place of the data of intra-duplicates.
enum class IntraData : std::uint8_t {
    nowhere, ///< intra-duplicates are treated like other blocks
    map,     ///< in the block's map entry (CMD IV-B)
    block    ///< one block in memory per value; found without a hash
};
constexpr std::array<std::string_view, 3> names_of(IntraData) {
    return {"nowhere", "map", "block"};
}

/// The features that a Deduplicator uses.
struct Scheme {
    const Detector* detector = nullptr;
    IntraData intra = IntraData::nowhere;
    bool whole_tables = false;  ///< type, mask and map are read at the same time
    bool sectors_alone = false; ///< bytes missing in partly written sectors are not read

    bool deduplicates() const { return detector->detects() || intra != IntraData::nowhere; }
    /// Whether digests of blocks in memory are stored.
    bool lists() const { return detector->detects() || intra == IntraData::block; }
};

} // namespace memsim::cmd
