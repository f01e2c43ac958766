#include "cmd/controller/placement.hh"

namespace memsim::cmd {

void Placement::resize(PlacementState& s, std::uint32_t blocks, bool weak, std::uint32_t entries,
                       std::uint32_t ways) {
    s.table.resize(blocks);
    weak ? s.fingerprints.resize(entries, ways) : s.store.resize(entries, ways);
}

std::optional<std::uint32_t> Placement::place_for(std::uint32_t block) const {
    const BlockTable& t = state_.table;
    if (!t.shared(block)) return block;
    if (t.type(block) == BlockType::inter && t.users(t.place(block)) == 1) return t.place(block);
    return {};
}

/// The first block of a group that fulfils fit(block).
template <class F>
std::uint32_t Placement::first_of(std::uint32_t group, F&& fit) const {
    const std::uint32_t first = group * group_blocks;
    for (std::uint32_t d = first; d < std::min(first + group_blocks, state_.table.size()); ++d)
        if (fit(d)) return d;
    return nowhere;
}

std::uint32_t Placement::candidate(std::uint32_t group) const {
    return first_of(group, [this](std::uint32_t d) {
        return state_.table.type(d) == BlockType::intra || state_.table.type(d) == BlockType::inter;
    });
}

std::uint32_t Placement::donor(std::uint32_t group) const {
    return first_of(group, [this](std::uint32_t d) { return state_.table.can_lend(d); });
}

std::uint32_t Placement::duplicate_of(std::uint32_t block) const {
    const BlockTable& t = state_.table;
    std::uint32_t part = nowhere;
    if (!t.shared(block)) return nowhere;
    for (std::uint32_t b = 0; b < t.written_end(); ++b) {
        if (t.type(b) != BlockType::inter || t.place(b) != block) continue;
        if (t.can_lend(b)) return b;
        if (t.mask(b) != all_sectors) part = b;
    }
    return part;
}

std::uint32_t Placement::next_to_bring_home(std::uint32_t except, std::uint32_t from) const {
    const BlockTable& t = state_.table;
    for (std::uint32_t b = from; b < t.written_end(); ++b) {
        if (t.type(b) != BlockType::inter || t.mask(b) == all_sectors || b == except) continue;
        const std::uint32_t place = t.place(b);
        if (t.type(place) != BlockType::own || place == except) return b;
    }
    return nowhere;
}

Placement::Freed Placement::leave(std::uint32_t block) {
    const bool referenced = state_.table.type(block) != BlockType::read_only;
    const std::uint32_t from = state_.table.leave(block);
    if (from == nowhere || !referenced) return nowhere;
    store([&](auto& s) { s.leave(from); });
    return state_.table.users(from) == 0 && from != block ? from : nowhere;
}

Placement::Freed Placement::set_intra(std::uint32_t block, std::uint32_t mask, std::uint32_t word) {
    const Freed freed = leave(block);
    state_.table.set_intra(block, mask, word);
    return freed;
}

Placement::Join Placement::join(std::uint32_t block, std::uint32_t mask, std::uint32_t place) {
    if (state_.table.type(block) != BlockType::intra && state_.table.place(block) == place) {
        ++stat_.silent;
        stat_.silent_shared += place != block || state_.table.users(place) > 1;
        return {Joined::already};
    }
    if (!store([&](auto& s) { return s.join(place); })) {
        ++stat_.uncounted;
        return {Joined::full};
    }
    ++stat_.inter;
    const Freed freed = leave(block);
    state_.table.map(block, mask, place);
    return {Joined::mapped, freed};
}

Placement::Freed Placement::put(std::uint32_t block, std::uint32_t mask, std::uint32_t place,
                                const Reference::Digest* digest) {
    MEMSIM_ASSERT(place == block || mask == all_sectors,
                  "a partial block is put into a lent place");
    const Freed freed = leave(block);
    state_.table.map(block, mask, place);
    if (digest && !find(*digest, mask)) {
        const Insertion made = store([&](auto& s) { return s.insert(*digest, mask, place); });
        if (!made.inserted) ++stat_.unlisted;
        if (made.evicted) ++stat_.forgotten;
    }
    return freed;
}

std::optional<std::string> Placement::imbalance() const {
    std::uint64_t users = 0, blocks = 0;
    for (std::uint32_t b = 0; b < state_.table.size(); ++b) {
        users += state_.table.users(b);
        blocks += state_.table.type(b) != BlockType::intra;
        const Reference* const r = state_.store.find_place(b); // exact, because the hash is strong
        if (r && r->count != state_.table.users(b))
            return "the hash store counts " + std::to_string(r->count) + " blocks in place " +
                   std::to_string(b) + ", and the tables " + std::to_string(state_.table.users(b));
    }
    if (users == blocks) return {};
    return std::to_string(blocks) + " blocks have their data in " + std::to_string(users) +
           " places' counts";
}

void Placement::check_loaded(Loader& l) const {
    l.within("store", [&] {
        l.check(store([&](const auto& s) {
                    return s.all([&](const Reference& r) {
                        return r.place < state_.table.size() && r.mask <= all_sectors;
                    });
                }),
                "has a reference to a block that does not exist");
    });
}

} // namespace memsim::cmd
