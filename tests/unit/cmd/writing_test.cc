#include "parts.hh"

#include "cmd/detect/md5.hh"

namespace memsim::writing_test {

using namespace memsim::cmd;
using namespace memsim::cmd::test;

namespace {

struct Writes : Parts {
    WritingStats stat;
    Writing writing {shared, 3, 11, stat};

    explicit Writes(std::uint32_t blocks = 16) : Parts(blocks) {}

    /// All words of a sector are different from the others', or, of `equal`, the same.
    std::uint32_t begin(std::uint32_t block, std::uint32_t sectors, bool equal = false) {
        const std::uint32_t id = add(JobKind::write, block, sectors);
        for (std::uint32_t s = 0; s < block_sectors; ++s)
            if (sectors >> s & 1) jobs.data(id).own[s] = sector_of_word(equal ? 7 : 100 + s);
        step(writing, id); // the type
        return id;
    }
    /// Mask and map entry are here.
    void tables(std::uint32_t id) { step(writing, id); }
    using Fetches = std::vector<Noted::Fetch>;
};

} // namespace

TEST_CASE("A write that covers all earlier sectors needs no read", "[cmd]") { // Fig. 7b
    Writes w;
    w.placement.put(1, 0b0110, 1, nullptr);
    w.tables(w.begin(1, 0b1110));
    CHECK(w.noted.fetches.empty());
    CHECK(w.noted.hashes == std::vector<std::uint32_t> {3});
    w.begin(2, 0b0001); // the first write of a block: the rest stays as the host has left it
    CHECK(w.noted.fetches.empty());
    CHECK(w.stat.dedup_reads.value() == 0);
}

TEST_CASE("A write that covers fewer sectors reads the others", "[cmd]") { // Fig. 7a
    Writes w;
    w.placement.put(1, 0b0111, 1, nullptr);
    const auto id = w.begin(1, 0b1100);
    w.tables(id);
    CHECK(w.noted.fetches == Writes::Fetches {{1, 0b0011}});
    CHECK(w.jobs[id].mask == 0b1111);
    CHECK(w.stat.dedup_reads.value() == 2);
    CHECK(w.noted.hashes.empty()); // not before they are here
    w.step(w.writing, id);
    CHECK(w.noted.hashes == std::vector<std::uint32_t> {4});
    w.step(w.writing, id);
    CHECK((w.out.back().address == 1 * 128 + 64 && w.out.back().bytes == 64)); // the new ones alone
}

TEST_CASE("Old sectors are written if they are not in the place yet", "[cmd]") {
    Writes w;
    w.placement.set_intra(1, 0b0011, 7); // they are in the map
    const auto id = w.begin(1, 0b0100);
    w.tables(id);
    w.step(w.writing, id);
    CHECK((w.out.back().address == 1 * 128 && w.out.back().bytes == 96));
}

TEST_CASE("The old sectors of an intra-duplicate are read from its map entry", "[cmd]") {
    Writes w;
    w.placement.set_intra(1, 0b0011, 7);
    w.tables(w.begin(1, 0b0001, true));
    CHECK(w.noted.fetches.empty());
    CHECK(w.placement.table().type(1) == BlockType::intra);
    CHECK(w.placement.table().mask(1) == 0b0011);
    CHECK(w.noted.hashes.empty()); // never hashed
    CHECK(w.noted.finished.size() == 1);
    CHECK(w.out.empty());
}

TEST_CASE("A sector of which some bytes are written is completed by a read", "[cmd]") {
    Writes w;
    const auto id = w.add(JobKind::write, 4, 0b0001);
    w.jobs.data(id).own[0].known = 0xff;
    w.step(w.writing, id);
    CHECK(w.noted.fetches == Writes::Fetches {{4, 0b0001}});
    CHECK(w.stat.dedup_reads.value() == 1);
    CHECK(w.stat.partial_sectors.value() == 1);
    CHECK(w.stat.uncovered_reads.value() == 0); // equation 1 by sectors alone asks for nothing
    CHECK(w.stat.uncovered_sectors.value() == 0);
}

TEST_CASE("Extra reads are counted by the missing part of a write", "[cmd]") {
    Writes w;
    w.placement.put(1, 0b0111, 1, nullptr);
    const auto id = w.add(JobKind::write, 1, 0b1100);
    w.jobs.data(id).own[2].known = 0xff;             // in part
    w.jobs.data(id).own[3].known = SectorBytes::all; // whole
    w.step(w.writing, id);
    w.tables(id);
    CHECK(w.noted.fetches == Writes::Fetches {{1, 0b0111}});
    CHECK(w.stat.dedup_reads.value() == 3);
    CHECK(w.stat.uncovered_reads.value() == 2);
    CHECK(w.stat.uncovered_sectors.value() == 2);
    CHECK(w.stat.partial_sectors.value() == 1);
}

TEST_CASE("An intra-duplicate already held by the map is counted", "[cmd]") {
    Writes w;
    w.placement.set_intra(1, 0b0011, 7);
    w.tables(w.begin(1, 0b0001, true));
    CHECK(w.stat.intra.value() == 1);
    CHECK(w.stat.intra_again.value() == 1);
    w.begin(2, 0b0011, true); // of a block that holds no word
    CHECK(w.stat.intra.value() == 2);
    CHECK(w.stat.intra_again.value() == 1);
}

TEST_CASE("A duplicate is mapped instead of written; a rewritten reference moves", "[cmd]") {
    Writes w;
    w.step(w.writing, w.begin(1, 0b1111)); // the hash is here
    CHECK(w.noted.writes == 1);
    w.step(w.writing, w.begin(2, 0b1111));
    CHECK(w.noted.writes == 1);
    CHECK(w.placement_stat.inter.value() == 1);
    CHECK(w.placement.table().place(2) == 1);

    const auto id = w.begin(1, 0b0001, true);
    w.tables(id);
    CHECK(w.noted.fetches == Writes::Fetches {{1, 0b1110}});     // it takes all of it along
    w.step(w.writing, id);                                       // they are here (and equal)
    w.step(w.writing, id);                                       // the hash
    CHECK(w.noted.looks.back() == Noted::Look {Table::type, 0}); // where is a donor?
    w.step(w.writing, id);
    CHECK(w.noted.looks.back() == Noted::Look {Table::mask, 2}); // may it lend its place?
    w.step(w.writing, id);
    CHECK(w.stat.borrowed.value() == 1);
    CHECK(w.placement.table().place(1) == 2); // block 2's own place, as its data lie in 1
    CHECK(w.placement.table().place(2) == 1);
    CHECK(w.out.back().address == 2 * 128);
}

TEST_CASE("After some groups without a donor a duplicate of the block lends its place", "[cmd]") {
    constexpr std::uint32_t group = Placement::group_blocks, far = 9 * group;
    Writes w(20 * group);
    w.step(w.writing, w.begin(1, 0b1111));
    w.step(w.writing, w.begin(far, 0b1111));
    REQUIRE(w.placement.table().place(far) == 1);
    w.placement.set_intra(group, 0b0011, 7); // its mask prevents lending its place

    const auto id = w.add(JobKind::write, 1, 0b1111);
    for (std::uint32_t i = 0; i < block_sectors; ++i)
        w.jobs.data(id).own[i] = sector_of_word(50 + i);
    w.step(w.writing, id), w.step(w.writing, id); // its type, its mask
    w.noted.looks.clear();
    for (unsigned i = 0; i < 5; ++i) w.step(w.writing, id);
    CHECK(w.noted.looks == std::vector<Noted::Look> {{Table::type, 0},
                                                     {Table::type, group},
                                                     {Table::mask, group},
                                                     {Table::type, 2 * group},
                                                     {Table::type, far},
                                                     {Table::mask, far}});
    w.step(w.writing, id);
    CHECK(w.placement.table().place(1) == far);
    CHECK((w.stat.lent_by_duplicates.value() == 1 && w.stat.borrowed.value() == 1));
}

TEST_CASE("Requests to one block execute in order, its reads in parallel", "[cmd]") {
    Parts p;
    const auto first = p.add(JobKind::read, 3, 1), second = p.add(JobKind::read, 3, 1);
    const auto write = p.add(JobKind::write, 3, 1), other = p.add(JobKind::write, 4, 1);
    const auto last = p.add(JobKind::read, 3, 1);
    CHECK((p.jobs[first].before == 0 && p.jobs[second].before == 0));
    CHECK((p.jobs[write].before == 2 && p.jobs[other].before == 0 && p.jobs[last].before == 1));
    std::vector<std::uint32_t> begun;
    const auto finish = [&](std::uint32_t id) {
        p.jobs.finish(id, [&](std::uint32_t next) { begun.push_back(next); });
    };
    finish(first);
    CHECK(begun.empty());
    finish(second);
    CHECK(begun == std::vector {write});
    finish(write);
    CHECK(begun == std::vector {write, last});
    CHECK(p.jobs.active() == 2);
}

} // namespace memsim::writing_test
