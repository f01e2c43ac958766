#include "cmd/writing.hh"

#include "cmd/intra.hh"
#include "parts/bits.hh"

namespace memsim::cmd {

using parts::for_each_bit;

void Writing::step(std::uint32_t id) {
    Job& j = s_.jobs[id];
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
        return settle(id, j);
    }
}

/// Reads what the write leaves out of the sectors that are the block's from now on.
void Writing::complete(std::uint32_t id, Job& j) {
    const BlockTable& t = s_.placement.table();
    const bool fresh = t.type(j.block) == BlockType::read_only;
    const std::uint32_t old = fresh ? 0 : t.mask(j.block);
    j.mask = static_cast<std::uint8_t>(j.sectors | old);
    if (must_be_whole(j) || s_.packing.compressed(j.block)) j.mask = all_sectors;
    j.step = Step::old;
    if (!s_.scheme.deduplicates() &&
        !s_.packing.compressed(j.block)) { // memory takes parts of raw blocks
        j.mask = j.sectors;
        return pack(id, j);
    }
    std::uint32_t need = 0;
    for_each_bit(j.mask, [&](std::uint32_t s) {
        if (s_.jobs.data(id).own[s].known != SectorBytes::all) need |= 1u << s;
    });
    if (const std::uint32_t outside = need & ~old)
        s_.act.fetch(id, j.block, outside, stat_.dedup_reads);
    if (const std::uint32_t inside = need & old) {
        if (t.type(j.block) == BlockType::intra) {
            const SectorBytes word = sector_of_word(t.word(j.block));
            for_each_bit(inside, [&](std::uint32_t s) { s_.jobs.data(id).own[s].fill(word); });
        } else
            s_.act.fetch(id, t.place(j.block), inside, stat_.dedup_reads);
    }
    if (j.waits == 0) detect(id, j);
}

void Writing::detect(std::uint32_t id, Job& j) {
    if (must_be_whole(j)) return complete(id, j); // it has become a reference in the meantime
    if (j.kind == JobKind::homeward) return put_down(id, j, j.block);
    const BlockBytes bytes = joined(s_.jobs.data(id).own);
    if (s_.scheme.intra != IntraData::nowhere)
        if (const auto word = intra_value(Block {bytes}, j.mask)) {
            ++stat_.intra;
            if (s_.scheme.intra == IntraData::block) { // found by its value, which is no digest's
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
    if (detector.verifies()) return find_reference(id, j); // known already: it takes no time
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

/// The data of a reference are here, if it still is one.
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

/// No duplicate: it takes its time to be compressed.
void Writing::pack(std::uint32_t id, Job& j) {
    if (!s_.packing.compresses() || j.mask != all_sectors) return settle(id, j);
    j.step = Step::packed;
    s_.act.wait(id, pack_cycles_);
}

/// Finds a place: its own, the one that it has alone, or a donor's.
void Writing::settle(std::uint32_t id, Job& j) {
    if (must_be_whole(j)) return complete(id, j);
    if (const auto place = s_.placement.place_for(j.block)) return put_down(id, j, *place);
    if (j.step != Step::donor) {
        j.step = Step::donor;
        j.group = j.block / Placement::group_blocks;
        j.groups_left = s_.placement.groups();
    } else {
        if (const std::uint32_t d = s_.placement.donor(j.group); d != Placement::nowhere) {
            ++stat_.borrowed;
            return put_down(id, j, d);
        }
        j.group = (j.group + 1) % s_.placement.groups();
        if (--j.groups_left == 0) {
            j.groups_left = s_.placement.groups();
            if (bring_somebody_home(id, j)) return;
        }
    }
    ++stat_.groups_searched;
    s_.act.look(id, Table::type, j.group * Placement::group_blocks);
}

/// One block is written as it is to its own place: the other, or a donor, is free soon.
bool Writing::bring_somebody_home(std::uint32_t id, const Job& j) {
    if (s_.jobs.full(JobKind::homeward)) return false;
    std::uint32_t b = s_.placement.next_to_bring_home(j.block, 0);
    while (b != Placement::nowhere && s_.jobs.any(b))
        b = s_.placement.next_to_bring_home(j.block, b + 1);
    if (b == Placement::nowhere) return false;
    const std::uint32_t home = s_.jobs.add(JobKind::homeward, b);
    s_.jobs[home].request.tag = id;
    s_.jobs[home].request.posted = true;
    ++stat_.brought_home;
    s_.act.begin(home);
    return true;
}

void Writing::put_down(std::uint32_t id, Job& j, std::uint32_t place) {
    const auto freed =
        s_.placement.put(j.block, s_.scheme.deduplicates() ? j.mask : all_sectors, place,
                         s_.scheme.lists() && j.kind == JobKind::write ? &j.digest : nullptr);
    if (s_.scheme.detector->verifies()) s_.jobs.replaced(place);
    s_.act.change(freed, j.block, {});
    stat_.write_requests += s_.memory.write(place, s_.jobs.data(id).own, j.mask,
                                            s_.scheme.deduplicates(), j.request.application);
    s_.act.change(Placement::nowhere, j.block, {Table::type});
    if (s_.scheme.deduplicates()) s_.act.change(Placement::nowhere, j.block, {Table::mask});
    if (s_.packing.coded(place)) s_.act.change(Placement::nowhere, place, {Table::map});
    if (place != j.block) {
        s_.act.change(Placement::nowhere, j.block, {Table::map});
        s_.act.change(place, j.block, {}); // it is lent
    }
    s_.act.finish(id);
}

} // namespace memsim::cmd
