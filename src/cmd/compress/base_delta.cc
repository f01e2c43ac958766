#include "cmd/compress/base_delta.hh"

namespace memsim::cmd {

static constexpr std::uint32_t words = block_bytes / 4, header_bytes = words * 2 / 8;
/// Stored bytes of a word, by its 2 bits.
static constexpr std::array<std::uint32_t, 4> lengths {0, 1, 2, 4};

Reference::Digest BaseDeltaStores::digest_of(Block block, std::uint32_t mask) {
    const std::uint64_t both = std::uint64_t {mask} << 32 | mask;
    std::uint64_t state = 0;
    for (std::uint32_t i = 0; i < words / 2; ++i) {
        state ^= element<std::uint64_t>(block, i) & both;
        state = split_mix(state);
    }
    Reference::Digest digest {};
    std::memcpy(digest.data(), &state, sizeof state);
    return digest;
}

static BlockBytes exclusive_or(Block a, Block b) {
    BlockBytes result;
    for (std::uint32_t i = 0; i < block_bytes; ++i)
        result[i] = static_cast<std::uint8_t>(a[i] ^ b[i]);
    return result;
}

/// Packs a difference. Returns its bytes, or block_bytes if it does not save a sector.
static std::uint32_t pack(Block difference, BlockBytes& to) {
    std::uint32_t at = header_bytes;
    std::uint64_t header = 0;
    for (std::uint32_t w = 0; w < words; ++w) {
        const auto word = element<std::uint32_t>(difference, w);
        const std::uint32_t code = word == 0 ? 0 : word < 1u << 8 ? 1 : word < 1u << 16 ? 2 : 3;
        if (at + lengths[code] > block_bytes - sector_bytes) return block_bytes;
        std::memcpy(to.data() + at, &word, lengths[code]);
        at += lengths[code];
        header |= std::uint64_t {code} << 2 * w;
    }
    std::memcpy(to.data(), &header, header_bytes);
    return at;
}
static BlockBytes unpack(Block from) {
    BlockBytes difference {};
    const auto header = element<std::uint64_t>(from, 0);
    for (std::uint32_t w = 0, at = header_bytes; w < words; ++w) {
        const std::uint32_t length = lengths[header >> 2 * w & 3];
        MEMSIM_ASSERT(at + length <= block_bytes, "the data in memory are no difference");
        std::memcpy(difference.data() + 4 * w, from.data() + at, length);
        at += length;
    }
    return difference;
}

void BaseDeltaStores::resize(std::uint32_t bases, std::uint32_t differences, std::uint32_t ways,
                             std::uint32_t high_bits) {
    bases_.resize(bases, ways);
    differences_.resize(differences, ways);
    high_mask_ = ~(~0u >> high_bits);
}

BaseDelta BaseDeltaStores::encode(Block block, BlockBytes& data) {
    std::copy(block.begin(), block.end(), data.begin());
    const auto cluster = digest_of(block, high_mask_);
    const std::uint32_t base = bases_.find(cluster);
    if (base == LineStore::none) {
        bases_.insert(cluster, block);
        return {};
    }
    const BlockBytes difference = exclusive_or(block, bases_[base]);
    BlockBytes packed {};
    const std::uint32_t bytes = pack(difference, packed);
    if (bytes == block_bytes || !bases_.join(base)) return {};
    if (difference == BlockBytes {}) return {BaseDelta::Kind::duplicate, 0, base};

    const auto digest = digest_of(difference, ~0u);
    const std::uint32_t equal = differences_.find(digest);
    if (equal != LineStore::none && differences_[equal] == difference && differences_.join(equal))
        return {BaseDelta::Kind::duplicate, 0, base, equal};
    if (equal == LineStore::none) differences_.insert(digest, difference);
    data = packed;
    return {BaseDelta::Kind::difference, static_cast<std::uint8_t>(bytes), base};
}

BlockBytes BaseDeltaStores::decode(const BaseDelta& how, const BlockBytes& data) const {
    if (how.kind == BaseDelta::Kind::raw) return data;
    const BlockBytes& base = bases_[how.base];
    if (how.kind == BaseDelta::Kind::difference) return exclusive_or(base, unpack(data));
    return how.difference == LineStore::none ? base
                                             : exclusive_or(base, differences_[how.difference]);
}

void BaseDeltaStores::release(const BaseDelta& how) {
    if (how.base != LineStore::none) bases_.leave(how.base);
    if (how.difference != LineStore::none) differences_.leave(how.difference);
}

bool BaseDeltaStores::has(const BaseDelta& how) const {
    const bool duplicate = how.kind == BaseDelta::Kind::duplicate;
    if (how.kind == BaseDelta::Kind::raw)
        return how.base == LineStore::none && how.difference == LineStore::none;
    return bases_.has(how.base) &&
           (how.difference == LineStore::none || (duplicate && differences_.has(how.difference)));
}

} // namespace memsim::cmd
