#include "cmd/unit/writing.hh"

#include "cmd/detect/intra.hh"
#include "parts/bits.hh"

namespace memsim::cmd {

using parts::for_each_bit;

void Writing::step(std::uint32_t id) {
    Job& j = s_.jobs[id];
    if (j.stale && j.step != Step::type && j.step != Step::map) return complete(id, j);
    switch (j.step) {
    case Step::type: {
        j.step = Step::map;
        const BlockType type = s_.placement.table().type(j.block);
        if (s_.scheme.whole_tables || type == BlockType::read_only) return complete(id, j);
        if (!s_.scheme.deduplicates())
            return s_.packing.coded(j.block) ? s_.act.look(id, Table::map, j.block)
                                             : complete(id, j);
        s_.act.look(id, Table::mask, j.block);
        if (type != BlockType::own) s_.act.look(id, Table::map, j.block);
        return;
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
void Writing::complete(std::uint32_t id, Job& j) {
    const BlockTable& t = s_.placement.table();
    j.stale = false;
    if (j.kind == JobKind::homeward &&
        t.type(j.block) != BlockType::inter) // the host has moved it home
        return s_.act.finish(id);
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
    if (const std::uint32_t outside = need & ~old) ask(id, j, j.block, outside);
    if (const std::uint32_t inside = need & old) {
        if (t.type(j.block) == BlockType::intra) {
            const SectorBytes word = sector_of_word(t.word(j.block));
            for_each_bit(inside, [&](std::uint32_t s) { s_.jobs.data(id).own[s].fill(word); });
        } else
            ask(id, j, t.place(j.block), inside);
    }
    if (j.waits == 0) detect(id, j);
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

void Writing::ask(std::uint32_t id, const Job& j, std::uint32_t place, std::uint32_t sectors) {
    if (sectors & ~std::uint32_t {j.sectors}) ++stat_.uncovered_reads;
    s_.act.fetch(id, place, sectors, stat_.dedup_reads);
}

void Writing::detect(std::uint32_t id, Job& j) {
    if (must_be_whole(j)) return complete(id, j); // it has become a reference meanwhile
    if (j.kind == JobKind::homeward) return put_down(id, j, j.block);
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
            s_.act.change(s_.placement.set_intra(j.block, j.mask, *word), j.block,
                          {Table::type, Table::mask, Table::map});
            return s_.act.finish(id);
        }
    const Detector& detector = *s_.scheme.detector;
    if (!detector.detects()) return pack(id, j);
    j.digest = detector.digest(Block {bytes}, j.mask);
    if (detector.verifies()) return find_reference(id, j); // known already, without time
    ++stat_.hashed;
    j.step = Step::hash;
    s_.act.hash(id, bits_set(j.mask));
}

void Writing::find_reference(std::uint32_t id, Job& j) {
    if (must_be_whole(j)) return complete(id, j);
    const Reference* const r = s_.placement.find(j.digest, j.mask);
    if (!r) return pack(id, j);
    if (!s_.scheme.detector->verifies()) return join(id, j, r->place);
    j.place = r->place;
    j.step = Step::verified;
    s_.jobs.data(id).other = {};
    s_.act.fetch(id, j.place, j.mask, stat_.verify_reads);
}

/// The data of a reference have arrived. It may have been replaced meanwhile.
void Writing::compare(std::uint32_t id, Job& j) {
    const Reference* const r = s_.placement.find(j.digest, j.mask);
    if (!r || r->place != j.place || must_be_whole(j)) return find_reference(id, j);
    const JobData& data = s_.jobs.data(id);
    bool equal = true;
    for_each_bit(j.mask, [&](std::uint32_t s) {
        equal = equal && data.own[s].bytes == data.other[s].bytes;
    });
    if (equal) return join(id, j, j.place);
    ++stat_.collisions;
    pack(id, j);
}

void Writing::join(std::uint32_t id, Job& j, std::uint32_t place) {
    const Placement::Join made = s_.placement.join(j.block, j.mask, place);
    if (made.result == Placement::Joined::full) return pack(id, j);
    if (made.result == Placement::Joined::mapped)
        s_.act.change(made.freed, j.block, {Table::type, Table::mask, Table::map});
    s_.act.finish(id);
}

/// The block is not a duplicate: models the time to compress it.
void Writing::pack(std::uint32_t id, Job& j) {
    if (!s_.packing.compresses() || j.mask != all_sectors) return place_block(id, j);
    j.step = Step::packed;
    s_.act.wait(id, pack_cycles_);
}

/// Finds a place for the block: its own, one that it uses alone, or a donor's.
void Writing::place_block(std::uint32_t id, Job& j) {
    if (must_be_whole(j)) return complete(id, j);
    if (const auto place = s_.placement.place_for(j.block)) return put_down(id, j, *place);
    std::uint32_t d = Placement::nowhere;
    switch (j.step) {
    case Step::donor:
        d = s_.placement.candidate(j.group);
        if (d == Placement::nowhere) return go_on(id, j);
        j.step = Step::lender;
        return s_.act.look(id, Table::mask, d);
    case Step::lender:
        d = s_.placement.donor(j.group);
        return d == Placement::nowhere ? go_on(id, j) : borrow(id, j, d);
    case Step::duplicate:
        if (!s_.placement.can_lend(j.place)) return look_at_group(id, j);
        ++stat_.lent_by_duplicates;
        return borrow(id, j, j.place);
    default:
        return begin_search(id, j);
    }
}

// ---- search for a donor -------------------------------------------------------------------------

void Writing::begin_search(std::uint32_t id, Job& j) {
    j.group = j.block / Placement::group_blocks;
    j.groups_left = s_.placement.groups();
    j.tries = 0;
    look_at_group(id, j);
}

void Writing::look_at_group(std::uint32_t id, Job& j) {
    j.step = Step::donor;
    ++stat_.groups_searched;
    s_.act.look(id, Table::type, j.group * Placement::group_blocks);
}

/// The group has no donor. After some groups, a block whose data lie in the written block's place
/// lends its own place or is brought home, if one can; otherwise the search continues. After all
/// groups, another block is brought home.
void Writing::go_on(std::uint32_t id, Job& j) {
    j.group = (j.group + 1) % s_.placement.groups();
    const bool all_seen = --j.groups_left == 0;
    if (all_seen) j.groups_left = s_.placement.groups();
    if (++j.tries == donor_tries_ || all_seen) {
        const std::uint32_t d = s_.placement.duplicate_of(j.block);
        if (d != Placement::nowhere && s_.placement.can_lend(d)) {
            j.step = Step::duplicate;
            j.place = d;
            s_.act.look(id, Table::type, d);
            return s_.act.look(id, Table::mask, d);
        }
        if (d != Placement::nowhere && !s_.jobs.any(d) && bring_home(id, d)) return;
        if (all_seen && bring_home(id, next_idle(j.block))) return;
    }
    look_at_group(id, j);
}

void Writing::borrow(std::uint32_t id, Job& j, std::uint32_t donor) {
    ++stat_.borrowed;
    put_down(id, j, donor);
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
bool Writing::bring_home(std::uint32_t id, std::uint32_t block) {
    if (block == Placement::nowhere || s_.jobs.full(JobKind::homeward)) return false;
    s_.jobs[id].step = Step::packed; // it chooses a place again afterwards
    const std::uint32_t home = s_.jobs.add(JobKind::homeward, block);
    s_.jobs[home].request.tag = id;
    s_.jobs[home].request.posted = true;
    ++stat_.brought_home;
    s_.act.begin(home);
    return true;
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

void Writing::put_down(std::uint32_t id, Job& j, std::uint32_t place) {
    const std::uint32_t sectors = sectors_to_write(j, place);
    const auto freed =
        s_.placement.put(j.block, s_.scheme.deduplicates() ? j.mask : all_sectors, place,
                         s_.scheme.lists() && j.kind == JobKind::write ? &j.digest : nullptr);
    if (s_.scheme.detector->verifies()) s_.jobs.replaced(place);
    s_.act.change(freed, j.block, {});
    stat_.write_requests += s_.memory.write(place, s_.jobs.data(id).own, sectors,
                                            s_.scheme.deduplicates(), j.request.application);
    s_.act.change(Placement::nowhere, j.block, {Table::type});
    if (s_.scheme.deduplicates()) s_.act.change(Placement::nowhere, j.block, {Table::mask});
    if (s_.packing.compressed(place)) s_.act.change(Placement::nowhere, place, {Table::map});
    if (place != j.block) {
        s_.act.change(Placement::nowhere, j.block, {Table::map});
        s_.act.change(place, j.block, {}); // it is lent
    }
    s_.act.finish(id);
}

} // namespace memsim::cmd
