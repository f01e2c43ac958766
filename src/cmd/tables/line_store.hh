#pragma once

#include "cmd/tables/block.hh"
#include "cmd/tables/hash_store.hh"

namespace memsim::cmd {

/// Shared lines of 128 bytes on chip, found by digest. A line that a block needs is kept; otherwise
/// the least recently used line is replaced. A value for State.
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
            a.check(sound, "has lines that its index does not find");
        }
    }

    /// Requires that `lines` is a non-zero multiple of `ways`.
    void resize(std::uint32_t lines, std::uint32_t ways) {
        MEMSIM_ASSERT(lines, "a store has no lines");
        index_.resize(lines, ways);
        lines_.assign(lines, {});
    }

    /// The line with this digest, or none. Lines may have equal digests; the caller compares them.
    std::uint32_t find(const Reference::Digest& digest) const {
        const Reference* const r = index_.find(digest, all_sectors);
        return r ? r->place : none;
    }
    bool has(std::uint32_t line) const { return index_.find_place(line); }
    const BlockBytes& operator[](std::uint32_t line) const { return lines_[line]; }

    /// Inserts a line without users, if there is room. Requires a new digest.
    void insert(const Reference::Digest& digest, Block line) {
        std::uint32_t place = index_.size(); // lines are never freed, only replaced
        const Insertion made = index_.insert(digest, all_sectors, place);
        if (!made.inserted) return;
        if (made.evicted) {
            index_.move(place, made.victim.place);
            place = made.victim.place;
        }
        std::copy(line.begin(), line.end(), lines_[place].begin());
    }
    /// Adds a user of the line. Returns false if its count is full.
    bool join(std::uint32_t line) { return index_.join(line); }
    /// Removes a user of the line.
    void leave(std::uint32_t line) {
        const bool gone = index_.leave(line);
        MEMSIM_ASSERT(!gone, "a line without users is released");
    }

  private:
    HashStore index_; ///< places are lines; a count is the number of users plus 1
    std::vector<BlockBytes> lines_;
};

} // namespace memsim::cmd
