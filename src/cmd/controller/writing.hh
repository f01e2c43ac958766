#pragma once

#include "cmd/controller/actions.hh"

#include <optional>

namespace memsim::cmd {

struct WritingStats {
    using group = void;
    Counter write_requests {Unit::count, "Writes of data to memory"};
    Counter dedup_reads {Unit::count, "Reads of 32 bytes from memory to complete partial writes"};
    Counter uncovered_reads {Unit::count,
                             "Reads of 32 bytes from memory of sectors that the write does not "
                             "name, as equation 1 requires for whole sectors"};
    Counter uncovered_sectors {Unit::count, "Sectors written back earlier that a write needs "
                                            "but does not name"};
    Counter partial_sectors {Unit::count, "Sectors for which a write supplies only some bytes "
                                          "and needs the others"};
    Counter verify_reads {Unit::count, "Reads of 32 bytes from memory to verify a reference"};
    Counter intra {Unit::count, "Intra-duplicates written"};
    Counter intra_again {Unit::count, "Intra-duplicates whose word the map entry already holds"};
    Counter collisions {Unit::count, "References with an equal fingerprint but different data"};
    Counter hashed {Unit::count, "Blocks hashed"};
    Counter borrowed {Unit::count, "Blocks written to the place of a donor"};
    Counter groups_searched {Unit::count, "Pieces of type flags read in searches for a donor"};
    Counter lent_by_duplicates {Unit::count,
                                "Blocks written to the place of one of their duplicates"};
    Counter brought_home {Unit::count, "Blocks moved to their own place to free another"};
};

/// The steps of a write (CMD, section IV-B). It looks up the block's type, mask and map entry,
/// reads the data that the write does not cover (equation 1) and tests whether all words are equal.
/// Otherwise the block is hashed and looked up in the hash store. A duplicate is mapped to its
/// reference and not written. Any other block is written to its own place. If other blocks are
/// mapped to that place, it is written to a donor's place, found by type flag or, after some
/// attempts, among the blocks mapped to it. A block that leaves a shared place takes all its
/// sectors along and is whole afterwards. Sectors that already lie in the right place are not
/// written again. A part.
class Writing {
  public:
    Writing(const Shared& shared, unsigned donor_tries, unsigned pack_cycles, WritingStats& stat)
        : shared_(shared), donor_tries_(donor_tries), pack_cycles_(pack_cycles), stat_(stat) {}

    /// Takes the next step of a job. Returns what it waits for, or how it ends.
    Actions step(std::uint32_t id);

  private:
    Actions complete(std::uint32_t id, Job& j);
    void complete_own(std::uint32_t id, const Job& j, std::uint32_t old, std::uint32_t sectors);
    action::Fetch fetch_missing(const Job& j, std::uint32_t place, std::uint32_t sectors);
    Actions detect(std::uint32_t id, Job& j);
    Actions find_reference(std::uint32_t id, Job& j);
    Actions verify(std::uint32_t id, Job& j);
    Actions join(std::uint32_t id, Job& j, std::uint32_t place);
    Actions pack(std::uint32_t id, Job& j);
    Actions place_block(std::uint32_t id, Job& j);
    Actions begin_search(Job& j);
    Actions look_at_group(Job& j);
    Actions continue_search(std::uint32_t id, Job& j);
    Actions borrow(Job& j, std::uint32_t donor);
    std::optional<action::Begin> bring_home(std::uint32_t id, std::uint32_t block);
    std::uint32_t next_idle(std::uint32_t except) const;
    std::uint32_t sectors_to_write(const Job& j, std::uint32_t place) const;
    Actions store_at(Job& j, std::uint32_t place);
    bool must_be_whole(const Job& j) const {
        return shared_.placement.must_be_whole(j.block, j.mask);
    }

    const Shared shared_;
    const unsigned donor_tries_, pack_cycles_;
    WritingStats& stat_;
};

} // namespace memsim::cmd
