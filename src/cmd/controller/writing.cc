#include "cmd/controller/writing.hh"

#include "cmd/detect/intra.hh"
#include "core/base/bits.hh"

namespace memsim::cmd {

Actions Writing::step(std::uint32_t id) {
    Job& j = shared_.jobs[id];
    if (j.stale && j.step != Step::type && j.step != Step::map) return complete(id, j);
    switch (j.step) {
    case Step::type: {
        j.step = Step::map;
        const BlockType type = shared_.placement.table().type(j.block);
        if (shared_.scheme.whole_tables || type == BlockType::read_only) return complete(id, j);
        if (!shared_.scheme.deduplicates())
            return shared_.packing.coded(j.block) ? Actions {action::Look {Table::map, j.block}}
                                                  : complete(id, j);
        Actions looks {action::Look {Table::mask, j.block}};
        if (type != BlockType::own) looks.push_back(action::Look {Table::map, j.block});
        return looks;
    }
    case Step::map:
        return complete(id, j);
    case Step::old:
        return detect(id, j);
    case Step::hash:
        return find_reference(id, j);
    case Step::verified:
        return verify(id, j);
    default:
        return place_block(id, j);
    }
}

/// Reads the missing bytes of the sectors that will belong to the block.
Actions Writing::complete(std::uint32_t id, Job& j) {
    const BlockTable& t = shared_.placement.table();
    j.stale = false;
    if (j.kind == JobKind::homeward &&
        t.type(j.block) != BlockType::inter) // the host has moved it home
        return {action::Finish {}};
    const bool fresh = t.type(j.block) == BlockType::read_only;
    const std::uint32_t old = fresh ? 0 : t.mask(j.block);
    j.mask = static_cast<std::uint8_t>(j.sectors | old);
    if (must_be_whole(j) || shared_.packing.compressed(j.block)) j.mask = all_sectors;
    j.step = Step::old;
    if (!shared_.scheme.deduplicates() &&
        !shared_.packing.compressed(j.block)) { // memory accepts partial writes of raw blocks
        j.mask = j.sectors;
        return pack(id, j);
    }
    std::uint32_t need = 0;
    for_each_bit(j.mask, [&](std::uint32_t s) {
        if (shared_.jobs.data(id).own[s].known != SectorBytes::all) need |= 1u << s;
    });
    stat_.uncovered_sectors += bits_set(need & ~std::uint32_t {j.sectors});
    stat_.partial_sectors += bits_set(need & j.sectors);
    if (shared_.scheme.sectors_alone && shared_.scheme.deduplicates()) {
        complete_own(id, j, old, need & j.sectors);
        need &= ~std::uint32_t {j.sectors};
    }
    Actions reads;
    if (const std::uint32_t outside = need & ~old)
        reads.push_back(fetch_missing(j, j.block, outside));
    if (const std::uint32_t inside = need & old) {
        if (t.type(j.block) == BlockType::intra) {
            const SectorBytes word = sector_of_word(t.word(j.block));
            for_each_bit(inside, [&](std::uint32_t s) { shared_.jobs.data(id).own[s].fill(word); });
        } else
            reads.push_back(fetch_missing(j, t.place(j.block), inside));
    }
    return reads.empty() ? detect(id, j) : reads;
}

/// Completes sectors that the write names in part, without time.
void Writing::complete_own(std::uint32_t id, const Job& j, std::uint32_t old,
                           std::uint32_t sectors) {
    const BlockTable& t = shared_.placement.table();
    for_each_bit(sectors, [&](std::uint32_t s) {
        SectorBytes held;
        if (!(old >> s & 1))
            shared_.memory.access_sector(j.block, s, false, held);
        else if (t.type(j.block) == BlockType::intra)
            held = sector_of_word(t.word(j.block));
        else
            shared_.memory.access_sector(t.place(j.block), s, false, held);
        shared_.jobs.data(id).own[s].fill(held);
    });
}

action::Fetch Writing::fetch_missing(const Job& j, std::uint32_t place, std::uint32_t sectors) {
    stat_.uncovered_reads += bits_set(sectors & ~std::uint32_t {j.sectors});
    return {place, sectors, &stat_.dedup_reads};
}

Actions Writing::detect(std::uint32_t id, Job& j) {
    if (must_be_whole(j)) return complete(id, j); // it has become a reference meanwhile
    if (j.kind == JobKind::homeward) return store_at(j, j.block);
    const BlockBytes bytes = joined(shared_.jobs.data(id).own);
    if (shared_.scheme.intra != IntraData::nowhere)
        if (const auto word = intra_value(Block {bytes}, j.mask)) {
            ++stat_.intra;
            const BlockTable& t = shared_.placement.table();
            stat_.intra_again += t.type(j.block) == BlockType::intra && t.word(j.block) == *word;
            if (shared_.scheme.intra == IntraData::block) { // found by value, without a digest
                j.digest = {};
                std::memcpy(j.digest.data(), &*word, sizeof *word);
                return find_reference(id, j);
            }
            return {action::Change {shared_.placement.set_intra(j.block, j.mask, *word)},
                    action::Finish {}};
        }
    const Detector& detector = *shared_.scheme.detector;
    if (!detector.detects()) return pack(id, j);
    j.digest = detector.digest(Block {bytes}, j.mask);
    if (detector.verifies()) return find_reference(id, j); // known already, without time
    ++stat_.hashed;
    j.step = Step::hash;
    return {action::Hash {bits_set(j.mask)}};
}

Actions Writing::join(std::uint32_t id, Job& j, std::uint32_t place) {
    const Placement::Join made = shared_.placement.join(j.block, j.mask, place);
    if (made.result == Placement::Joined::full) return pack(id, j);
    if (made.result == Placement::Joined::mapped)
        return {action::Change {made.freed}, action::Finish {}};
    return {action::Finish {}};
}

/// The block is not a duplicate: models the time to compress it.
Actions Writing::pack(std::uint32_t id, Job& j) {
    if (!shared_.packing.compresses() || j.mask != all_sectors) return place_block(id, j);
    j.step = Step::packed;
    return {action::Wait {pack_cycles_}};
}

/// Finds a place for the block: its own, one that it uses alone, or a donor's.
Actions Writing::place_block(std::uint32_t id, Job& j) {
    if (must_be_whole(j)) return complete(id, j);
    if (const auto place = shared_.placement.place_for(j.block)) return store_at(j, *place);
    std::uint32_t d = Placement::nowhere;
    switch (j.step) {
    case Step::donor:
        d = shared_.placement.candidate(j.group);
        if (d == Placement::nowhere) return continue_search(id, j);
        j.step = Step::lender;
        return {action::Look {Table::mask, d}};
    case Step::lender:
        d = shared_.placement.donor(j.group);
        return d == Placement::nowhere ? continue_search(id, j) : borrow(j, d);
    case Step::duplicate:
        if (!shared_.placement.can_lend(j.place)) return look_at_group(j);
        ++stat_.lent_by_duplicates;
        return borrow(j, j.place);
    default:
        return begin_search(j);
    }
}

// ---- search for a donor -------------------------------------------------------------------------

Actions Writing::begin_search(Job& j) {
    j.group = j.block / Placement::group_blocks;
    j.groups_left = shared_.placement.groups();
    j.tries = 0;
    return look_at_group(j);
}

Actions Writing::look_at_group(Job& j) {
    j.step = Step::donor;
    ++stat_.groups_searched;
    return {action::Look {Table::type, j.group * Placement::group_blocks}};
}

/// The group has no donor. After some groups, a block whose data lie in the written block's place
/// lends its own place or is brought home, if one can; otherwise the search continues. After all
/// groups, another block is brought home.
Actions Writing::continue_search(std::uint32_t id, Job& j) {
    j.group = (j.group + 1) % shared_.placement.groups();
    const bool all_seen = --j.groups_left == 0;
    if (all_seen) j.groups_left = shared_.placement.groups();
    if (++j.tries == donor_tries_ || all_seen) {
        const std::uint32_t d = shared_.placement.duplicate_of(j.block);
        if (d != Placement::nowhere && shared_.placement.can_lend(d)) {
            j.step = Step::duplicate;
            j.place = d;
            return {action::Look {Table::type, d}, action::Look {Table::mask, d}};
        }
        std::optional<action::Begin> homeward;
        if (d != Placement::nowhere && !shared_.jobs.any(d)) homeward = bring_home(id, d);
        if (!homeward && all_seen) homeward = bring_home(id, next_idle(j.block));
        if (homeward) return {*homeward};
    }
    return look_at_group(j);
}

Actions Writing::borrow(Job& j, std::uint32_t donor) {
    ++stat_.borrowed;
    return store_at(j, donor);
}

/// The next block without jobs that can be brought home, or nowhere.
std::uint32_t Writing::next_idle(std::uint32_t except) const {
    std::uint32_t b = shared_.placement.next_to_bring_home(except, 0);
    while (b != Placement::nowhere && shared_.jobs.any(b))
        b = shared_.placement.next_to_bring_home(except, b + 1);
    return b;
}

/// Writes the block to its own place. This frees the place that it leaves or makes a donor; the
/// waiting write then continues.
std::optional<action::Begin> Writing::bring_home(std::uint32_t id, std::uint32_t block) {
    if (block == Placement::nowhere || shared_.jobs.full(JobKind::homeward)) return {};
    shared_.jobs[id].step = Step::packed; // it chooses a place again afterwards
    const std::uint32_t home = shared_.jobs.add(JobKind::homeward, block);
    shared_.jobs[home].request.tag = id;
    shared_.jobs[home].request.posted = true;
    ++stat_.brought_home;
    return action::Begin {home};
}

// ---- memory -------------------------------------------------------------------------------------

/// The sectors to write: all except those already in the place, unless the block is compressed.
std::uint32_t Writing::sectors_to_write(const Job& j, std::uint32_t place) const {
    const BlockTable& t = shared_.placement.table();
    const BlockType type = t.type(j.block);
    if ((type != BlockType::own && type != BlockType::inter) || t.place(j.block) != place ||
        shared_.packing.compressed(place) ||
        (shared_.packing.compresses() && j.mask == all_sectors))
        return j.mask;
    return j.mask & ~(t.mask(j.block) & ~std::uint32_t {j.sectors});
}

Actions Writing::store_at(Job& j, std::uint32_t place) {
    const std::uint32_t sectors = sectors_to_write(j, place);
    const auto freed = shared_.placement.put(
        j.block, shared_.scheme.deduplicates() ? j.mask : all_sectors, place,
        shared_.scheme.lists() && j.kind == JobKind::write ? &j.digest : nullptr);
    if (shared_.scheme.detector->verifies()) shared_.jobs.replaced(place);
    return {action::Store {place, sectors, freed}, action::Finish {}};
}

} // namespace memsim::cmd
