#pragma once

#include "cmd/unit/actions.hh"

namespace memsim::cmd {

struct WritingStats {
    using group = void;
    Counter write_requests {Unit::count, "Writes of data to memory"};
    Counter dedup_reads {Unit::count, "Reads from memory for writes that cover too little"};
    Counter uncovered_reads {Unit::count,
                             "Reads for writes that ask for a sector that the write does not name: "
                             "what equation 1 asks for by sectors alone"};
    Counter uncovered_sectors {Unit::count,
                               "Sectors written back earlier that a write to their block does not "
                               "name and needs"};
    Counter partial_sectors {
        Unit::count, "Sectors of which a write has only some bytes, and of which the others "
                     "are needed"};
    Counter verify_reads {Unit::count, "Reads from memory to compare a reference"};
    Counter intra {Unit::count, "Blocks written that are intra-duplicates"};
    Counter intra_again {Unit::count, "Intra-duplicates whose word the map holds already"};
    Counter collisions {Unit::count, "References of equal fingerprint and other data"};
    Counter hashed {Unit::count, "Blocks hashed"};
    Counter borrowed {Unit::count, "Blocks that went to the place of a donor"};
    Counter groups_searched {Unit::count, "Pieces of type flags read to find donors"};
    Counter lent_by_duplicates {Unit::count,
                                "Blocks that went to the place of one of their duplicates"};
    Counter brought_home {Unit::count, "Blocks brought home to free a place"};
};

/// How a block is written (CMD, section IV-B): takes its type, mask and map entry, reads what the
/// write does not cover (equation 1), and looks whether all words are equal; else the block is
/// hashed and looked up in the hash store. A duplicate is mapped to its reference and not written.
/// What is no duplicate goes to the block's own place or, if others are mapped to that, to the
/// place of a donor, found by its type flag, or, after some tries, one of those others itself. A
/// block that leaves a place with others takes all of its sectors along, so it is whole from then
/// on. Sectors that lie where they are to lie are not written again. A part.
class Writing {
  public:
    Writing(const Shared& shared, unsigned donor_tries, unsigned pack_cycles, WritingStats& stat)
        : s_(shared), donor_tries_(donor_tries), pack_cycles_(pack_cycles), stat_(stat) {}

    void step(std::uint32_t id);

  private:
    void complete(std::uint32_t id, Job& j);
    void complete_own(std::uint32_t id, const Job& j, std::uint32_t old, std::uint32_t sectors);
    void ask(std::uint32_t id, const Job& j, std::uint32_t place, std::uint32_t sectors);
    void detect(std::uint32_t id, Job& j);
    void find_reference(std::uint32_t id, Job& j);
    void compare(std::uint32_t id, Job& j);
    void join(std::uint32_t id, Job& j, std::uint32_t place);
    void pack(std::uint32_t id, Job& j);
    void settle(std::uint32_t id, Job& j);
    void begin_search(std::uint32_t id, Job& j);
    void look_at_group(std::uint32_t id, Job& j);
    void go_on(std::uint32_t id, Job& j);
    void borrow(std::uint32_t id, Job& j, std::uint32_t donor);
    bool bring_home(std::uint32_t id, std::uint32_t block);
    std::uint32_t next_idle(std::uint32_t except) const;
    std::uint32_t sectors_to_write(const Job& j, std::uint32_t place) const;
    void put_down(std::uint32_t id, Job& j, std::uint32_t place);
    bool must_be_whole(const Job& j) const { return s_.placement.must_be_whole(j.block, j.mask); }

    const Shared s_;
    const unsigned donor_tries_, pack_cycles_;
    WritingStats& stat_;
};

} // namespace memsim::cmd
