#pragma once

#include "cmd/tables/block.hh"
#include "cmd/tables/hash_store.hh"

namespace memsim::cmd {

/// Lines of 128 bytes that blocks share, on chip, by digests. A line that a block needs stays; the
/// least recently used of those that none needs makes room. A value for State.
class LineStore {
  public:
    static constexpr std::uint32_t none = ~0u;
    static constexpr std::string_view archived_as = "LineStore";
    template <class Archive>
    void archive(Archive& a) {
        a(index_), a(lines_);
        if constexpr (Loading<Archive>) {
            bool sound = index_.size() <= lines_.size();
            for (std::uint32_t i = 0; sound && i < index_.size(); ++i) sound = has(i);
            a.check(sound, "has lines that it does not find");
        }
    }

    /// `lines` is a multiple of `ways`, and not 0.
    void resize(std::uint32_t lines, std::uint32_t ways) {
        MEMSIM_ASSERT(lines, "a store has no lines");
        index_.resize(lines, ways);
        lines_.assign(lines, {});
    }

    /// The line with this digest, or none. Two lines may have the same one: compare.
    std::uint32_t find(const Reference::Digest& digest) const {
        const Reference* const r = index_.find(digest, all_sectors);
        return r ? r->place : none;
    }
    bool has(std::uint32_t line) const { return index_.find_place(line); }
    const BlockBytes& operator[](std::uint32_t line) const { return lines_[line]; }

    /// Keeps a line that no block needs yet, if there is room. Precondition: its digest is new.
    void insert(const Reference::Digest& digest, Block line) {
        std::uint32_t place = index_.size(); // lines are never given back, only replaced
        const Insertion made = index_.insert(digest, all_sectors, place);
        if (!made.inserted) return;
        if (made.evicted) {
            index_.move(place, made.victim.place);
            place = made.victim.place;
        }
        std::copy(line.begin(), line.end(), lines_[place].begin());
    }
    /// One block more needs the line. False if no more can be counted.
    bool join(std::uint32_t line) { return index_.join(line); }
    /// One block less.
    void leave(std::uint32_t line) {
        const bool gone = index_.leave(line);
        MEMSIM_ASSERT(!gone, "a line is left that no block needs");
    }

  private:
    HashStore index_; ///< places are lines; a count is of blocks, and 1
    std::vector<BlockBytes> lines_;
};

} // namespace memsim::cmd
