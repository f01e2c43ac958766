#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace memsim::cmd {

/// How blocks with equal data are found.
enum class Detection : std::uint8_t {
    none, ///< they are not
    md5,  ///< a strong hash, whose equality is taken for that of the data
    ecc   ///< a weak fingerprint that costs no time; the reference is read and compared (ESD)
};
constexpr std::array<std::string_view, 3> names_of(Detection) { return {"none", "md5", "ecc"}; }

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
    Detection detection = Detection::none;
    IntraData intra = IntraData::nowhere;
    bool whole_tables = false; ///< type, mask and map are asked for at once

    bool deduplicates() const {
        return detection != Detection::none || intra != IntraData::nowhere;
    }
    /// Blocks in memory are known by a digest.
    bool lists() const { return detection != Detection::none || intra == IntraData::block; }
    bool verifies() const { return detection == Detection::ecc; }
};

} // namespace memsim::cmd
