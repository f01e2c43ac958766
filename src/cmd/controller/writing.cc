#include "cmd/controller/writing.hh"

#include "cmd/detect/intra.hh"
#include "parts/bits.hh"

namespace memsim::cmd {

using parts::for_each_bit;

Actions Writing::step(std::uint32_t id) {
    Job& j = s_.jobs[id];
    if (j.stale && j.step != Step::type && j.step != Step::map) return complete(id, j);
    switch (j.step) {
    case Step::type: {
        j.step = Step::map;
        const BlockType type = s_.placement.table().type(j.block);
        if (s_.scheme.whole_tables || type == BlockType::read_only) return complete(id, j);
        if (!s_.scheme.deduplicates())
            return s_.packing.coded(j.block) ? Actions {action::Look {Table::map, j.block}}
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
        return compare(id, j);
    default:
        return place_block(id, j);
    }
}

/// Reads the missing bytes of the sectors that will belong to the block.
Actions Writing::complete(std::uint32_t id, Job& j) {
    const BlockTable& t = s_.placement.table();
    j.stale = false;
    if (j.kind == JobKind::homeward &&
        t.type(j.block) != BlockType::inter) // the host has moved it home
        return {action::Finish {}};
    const bool fresh = t.type(j.block) == BlockType::read_only;
    const std::uint32_t old = fresh ? 0 : t.mask(j.block);
    j.mask = static_cast<std::uint8_t>(j.sectors | old);
    if (must_be_whole(j) || s_.packing.compressed(j.block)) j.mask = all_sectors;
    j.step = Step::old;
    if (!s_.scheme.deduplicates() &&
        !s_.packing.compressed(j.block)) { // memory accepts partial writes of raw blocks
        j.mask = j.sectors;
        return pack(id, j);
    }
    std::uint32_t need = 0;
    for_each_bit(j.mask, [&](std::uint32_t s) {
        if (s_.jobs.data(id).own[s].known != SectorBytes::all) need |= 1u << s;
    });
    stat_.uncovered_sectors += bits_set(need & ~std::uint32_t {j.sectors});
    stat_.partial_sectors += bits_set(need & j.sectors);
    if (s_.scheme.sectors_alone && s_.scheme.deduplicates()) {
        complete_own(id, j, old, need & j.sectors);
        need &= ~std::uint32_t {j.sectors};
    }
    Actions reads;
    if (const std::uint32_t outside = need & ~old) reads.push_back(ask(j, j.block, outside));
    if (const std::uint32_t inside = need & old) {
        if (t.type(j.block) == BlockType::intra) {
            const SectorBytes word = sector_of_word(t.word(j.block));
            for_each_bit(inside, [&](std::uint32_t s) { s_.jobs.data(id).own[s].fill(word); });
        } else
            reads.push_back(ask(j, t.place(j.block), inside));
    }
    return reads.empty() ? detect(id, j) : reads;
}

/// Completes sectors that the write names in part, without time.
void Writing::complete_own(std::uint32_t id, const Job& j, std::uint32_t old,
                           std::uint32_t sectors) {
    const BlockTable& t = s_.placement.table();
    for_each_bit(sectors, [&](std::uint32_t s) {
        SectorBytes held;
        if (!(old >> s & 1))
            s_.memory.look(j.block, s, false, held);
        else if (t.type(j.block) == BlockType::intra)
            held = sector_of_word(t.word(j.block));
        else
            s_.memory.look(t.place(j.block), s, false, held);
        s_.jobs.data(id).own[s].fill(held);
    });
}

action::Fetch Writing::ask(const Job& j, std::uint32_t place, std::uint32_t sectors) {
    if (sectors & ~std::uint32_t {j.sectors}) ++stat_.uncovered_reads;
    return {place, sectors, &stat_.dedup_reads};
}

Actions Writing::detect(std::uint32_t id, Job& j) {
    if (must_be_whole(j)) return complete(id, j); // it has become a reference meanwhile
    if (j.kind == JobKind::homeward) return put_down(j, j.block);
    const BlockBytes bytes = joined(s_.jobs.data(id).own);
    if (s_.scheme.intra != IntraData::nowhere)
        if (const auto word = intra_value(Block {bytes}, j.mask)) {
            ++stat_.intra;
            const BlockTable& t = s_.placement.table();
            stat_.intra_again += t.type(j.block) == BlockType::intra && t.word(j.block) == *word;
            if (s_.scheme.intra == IntraData::block) { // found by value, without a digest
                j.digest = {};
                std::memcpy(j.digest.data(), &*word, sizeof *word);
                return find_reference(id, j);
            }
            return {action::Change {s_.placement.set_intra(j.block, j.mask, *word)},
                    action::Finish {}};
        }
    const Detector& detector = *s_.scheme.detector;
    if (!detector.detects()) return pack(id, j);
    j.digest = detector.digest(Block {bytes}, j.mask);
    if (detector.verifies()) return find_reference(id, j); // known already, without time
    ++stat_.hashed;
    j.step = Step::hash;
    return {action::Hash {bits_set(j.mask)}};
}

Actions Writing::find_reference(std::uint32_t id, Job& j) {
    if (must_be_whole(j)) return complete(id, j);
    const Reference* const r = s_.placement.find(j.digest, j.mask);
    if (!r) return pack(id, j);
    if (!s_.scheme.detector->verifies()) return join(id, j, r->place);
    j.place = r->place;
    j.step = Step::verified;
    s_.jobs.data(id).other = {};
    return {action::Fetch {j.place, j.mask, &stat_.verify_reads}};
}

/// The data of a reference have arrived. It may have been replaced meanwhile.
Actions Writing::compare(std::uint32_t id, Job& j) {
    const Reference* const r = s_.placement.find(j.digest, j.mask);
    if (!r || r->place != j.place || must_be_whole(j)) return find_reference(id, j);
    const JobData& data = s_.jobs.data(id);
    bool equal = true;
    for_each_bit(j.mask, [&](std::uint32_t s) {
        equal = equal && data.own[s].bytes == data.other[s].bytes;
    });
    if (equal) return join(id, j, j.place);
    ++stat_.collisions;
    return pack(id, j);
}

Actions Writing::join(std::uint32_t id, Job& j, std::uint32_t place) {
    const Placement::Join made = s_.placement.join(j.block, j.mask, place);
    if (made.result == Placement::Joined::full) return pack(id, j);
    if (made.result == Placement::Joined::mapped)
        return {action::Change {made.freed}, action::Finish {}};
    return {action::Finish {}};
}

/// The block is not a duplicate: models the time to compress it.
Actions Writing::pack(std::uint32_t id, Job& j) {
    if (!s_.packing.compresses() || j.mask != all_sectors) return place_block(id, j);
    j.step = Step::packed;
    return {action::Wait {pack_cycles_}};
}

/// Finds a place for the block: its own, one that it uses alone, or a donor's.
Actions Writing::place_block(std::uint32_t id, Job& j) {
    if (must_be_whole(j)) return complete(id, j);
    if (const auto place = s_.placement.place_for(j.block)) return put_down(j, *place);
    std::uint32_t d = Placement::nowhere;
    switch (j.step) {
    case Step::donor:
        d = s_.placement.candidate(j.group);
        if (d == Placement::nowhere) return go_on(id, j);
        j.step = Step::lender;
        return {action::Look {Table::mask, d}};
    case Step::lender:
        d = s_.placement.donor(j.group);
        return d == Placement::nowhere ? go_on(id, j) : borrow(j, d);
    case Step::duplicate:
        if (!s_.placement.can_lend(j.place)) return look_at_group(j);
        ++stat_.lent_by_duplicates;
        return borrow(j, j.place);
    default:
        return begin_search(j);
    }
}

// ---- search for a donor -------------------------------------------------------------------------

Actions Writing::begin_search(Job& j) {
    j.group = j.block / Placement::group_blocks;
    j.groups_left = s_.placement.groups();
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
Actions Writing::go_on(std::uint32_t id, Job& j) {
    j.group = (j.group + 1) % s_.placement.groups();
    const bool all_seen = --j.groups_left == 0;
    if (all_seen) j.groups_left = s_.placement.groups();
    if (++j.tries == donor_tries_ || all_seen) {
        const std::uint32_t d = s_.placement.duplicate_of(j.block);
        if (d != Placement::nowhere && s_.placement.can_lend(d)) {
            j.step = Step::duplicate;
            j.place = d;
            return {action::Look {Table::type, d}, action::Look {Table::mask, d}};
        }
        std::optional<action::Begin> homeward;
        if (d != Placement::nowhere && !s_.jobs.any(d)) homeward = bring_home(id, d);
        if (!homeward && all_seen) homeward = bring_home(id, next_idle(j.block));
        if (homeward) return {*homeward};
    }
    return look_at_group(j);
}

Actions Writing::borrow(Job& j, std::uint32_t donor) {
    ++stat_.borrowed;
    return put_down(j, donor);
}

/// The next block without jobs that can be brought home, or nowhere.
std::uint32_t Writing::next_idle(std::uint32_t except) const {
    std::uint32_t b = s_.placement.next_to_bring_home(except, 0);
    while (b != Placement::nowhere && s_.jobs.any(b))
        b = s_.placement.next_to_bring_home(except, b + 1);
    return b;
}

/// Writes the block to its own place. This frees the place that it leaves or makes a donor; the
/// waiting write then continues.
std::optional<action::Begin> Writing::bring_home(std::uint32_t id, std::uint32_t block) {
    if (block == Placement::nowhere || s_.jobs.full(JobKind::homeward)) return {};
    s_.jobs[id].step = Step::packed; // it chooses a place again afterwards
    const std::uint32_t home = s_.jobs.add(JobKind::homeward, block);
    s_.jobs[home].request.tag = id;
    s_.jobs[home].request.posted = true;
    ++stat_.brought_home;
    return action::Begin {home};
}

// ---- memory -------------------------------------------------------------------------------------

/// The sectors to write: all except those already in the place, unless the block is compressed.
std::uint32_t Writing::sectors_to_write(const Job& j, std::uint32_t place) const {
    const BlockTable& t = s_.placement.table();
    const BlockType type = t.type(j.block);
    if ((type != BlockType::own && type != BlockType::inter) || t.place(j.block) != place ||
        s_.packing.compressed(place) || (s_.packing.compresses() && j.mask == all_sectors))
        return j.mask;
    return j.mask & ~(t.mask(j.block) & ~std::uint32_t {j.sectors});
}

Actions Writing::put_down(Job& j, std::uint32_t place) {
    const std::uint32_t sectors = sectors_to_write(j, place);
    const auto freed =
        s_.placement.put(j.block, s_.scheme.deduplicates() ? j.mask : all_sectors, place,
                         s_.scheme.lists() && j.kind == JobKind::write ? &j.digest : nullptr);
    if (s_.scheme.detector->verifies()) s_.jobs.replaced(place);
    return {action::Store {place, sectors, freed}, action::Finish {}};
}

} // namespace memsim::cmd
