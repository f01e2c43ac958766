#pragma once

#include "core/base/rng.hh"
#include "core/state/hash_map.hh"
#include "device_parts/links.hh"

#include <array>
#include <cstring>
#include <limits>

namespace memsim::cmd {

/// A reference block: the digest of the sectors in the mask, its place, and the number of blocks
/// mapped to it, itself included.
struct Reference {
    using Digest = std::array<std::uint8_t, 16>;
    static constexpr std::uint16_t most = std::numeric_limits<std::uint16_t>::max();

    Digest digest {};
    std::uint32_t place = 0; ///< block number in the controller's memory
    std::uint16_t count = 1;
    std::uint8_t mask = 0; ///< part of the key: equal digests of other sectors are different blocks
};

struct Insertion {
    bool inserted = false; ///< false if there was no room
    bool evicted = false;
    Reference victim {}; ///< the replaced reference, if any
};

/// References by digest, set-associative or without a limit. `Victim` selects the reference of a
/// full set that is replaced: Victim::choose(nodes, ends) walks the set's list in order of use. An
/// insertion and the mapping of a block count as uses. A value for State; it allocates only when it
/// exceeds its highest size so far. The data of a replaced reference stay in their place.
template <class Victim>
class ReferenceStore {
  public:
    static constexpr std::string_view archived_as = "ReferenceStore";
    template <class Archive>
    void archive(Archive& a) {
        std::vector<Reference> all;
        if constexpr (Loading<Archive>) {
            a(all);
            resize(sets_ * ways_, ways_);
            for (const Reference& r : all) load(a, r);
        } else {
            all = by_set();
            a(all);
        }
    }

    /// Requires that `entries` is a multiple of `ways`; 0: no limit.
    void resize(std::uint32_t entries, std::uint32_t ways) {
        MEMSIM_ASSERT(entries == 0 || (ways && entries % ways == 0), "sets are not whole");
        *this = {};
        ways_ = ways;
        sets_ = entries ? entries / ways : 0;
    }
    /// The set of a digest. Digests that differ in few bytes (error-correcting codes) are also
    /// spread over the sets. Without a limit there are as many sets as HashMap has keys.
    std::uint64_t set_of(const Reference::Digest& digest) const {
        std::array<std::uint64_t, 2> halves;
        std::memcpy(halves.data(), digest.data(), sizeof halves);
        halves[0] = split_mix(halves[0]) ^ halves[1];
        return split_mix(halves[0]) % (sets_ ? sets_ : std::numeric_limits<std::uint64_t>::max());
    }
    std::uint32_t size() const { return static_cast<std::uint32_t>(of_place_.size()); }

    /// The reference with this digest of these sectors, or nullptr. Valid until the next change.
    const Reference* find(const Reference::Digest& digest, std::uint32_t mask) const {
        const Set* const set = sets_used_.find(set_of(digest));
        for (std::uint32_t i = set ? set->ends.newest : device_parts::no_link;
             i != device_parts::no_link; i = nodes_[i].older)
            if (nodes_[i].is.digest == digest && nodes_[i].is.mask == mask) return &nodes_[i].is;
        return nullptr;
    }
    /// The reference in this place, or nullptr.
    const Reference* find_place(std::uint32_t place) const {
        const std::uint32_t* const i = of_place_.find(place);
        return i ? &nodes_[*i].is : nullptr;
    }
    /// Whether holds(reference) for all references, which are visited in an unspecified order.
    template <class F>
    bool all(F&& holds) const {
        return of_place_.all([&](std::uint64_t, std::uint32_t i) { return holds(nodes_[i].is); });
    }

    /// Inserts a reference with count 1. Requires that neither the digest nor the place is known.
    Insertion insert(const Reference::Digest& digest, std::uint32_t mask, std::uint32_t place) {
        MEMSIM_ASSERT(!find(digest, mask) && !find_place(place), "a reference is known already");
        Insertion result;
        if (const Set* const set = sets_used_.find(set_of(digest)); set && full(*set)) {
            const std::uint32_t victim = Victim::choose(nodes_, set->ends);
            if (victim == device_parts::no_link) return result;
            result.evicted = true;
            result.victim = nodes_[victim].is;
            remove(victim);
        }
        put({digest, place, 1, static_cast<std::uint8_t>(mask)});
        result.inserted = true;
        return result;
    }
    /// Maps one block more to the place of a reference. Returns false, without a change, if its
    /// count is full.
    bool join(std::uint32_t place) {
        const std::uint32_t i = node(place);
        if (nodes_[i].is.count == Reference::most) return false;
        ++nodes_[i].is.count;
        device_parts::ListEnds& ends = sets_used_[set_of(nodes_[i].is.digest)].ends;
        device_parts::unlink(nodes_, ends, i);
        device_parts::link_newest(nodes_, ends, i);
        return true;
    }
    /// Maps one block less. Returns true if the store counts no block there any more: the last
    /// block left the reference, or the place is unknown.
    bool leave(std::uint32_t place) {
        const std::uint32_t* const i = of_place_.find(place);
        if (!i) return true;
        if (--nodes_[*i].is.count) return false;
        remove(*i);
        return true;
    }
    /// Moves the data of a reference. Requires that the destination is unknown.
    void move(std::uint32_t from, std::uint32_t to) {
        MEMSIM_ASSERT(!find_place(to), "a place has two references");
        const std::uint32_t i = node(from);
        of_place_.erase(from);
        of_place_[to] = i;
        nodes_[i].is.place = to;
    }
    /// Removes the reference of a place, if it is known.
    void withdraw(std::uint32_t place) {
        if (const std::uint32_t* const i = of_place_.find(place)) remove(*i);
    }

  private:
    struct Node {
        Reference is;
        std::uint32_t newer = device_parts::no_link,
                      older = device_parts::no_link; ///< in its set's list, by use
    };
    struct Set {
        device_parts::ListEnds ends;
        std::uint32_t size = 0;
    };

    bool full(const Set& set) const { return sets_ && set.size == ways_; }
    std::uint32_t node(std::uint32_t place) const {
        const std::uint32_t* const i = of_place_.find(place);
        MEMSIM_ASSERT(i, "a place has no reference");
        return *i;
    }
    void put(const Reference& reference) {
        auto i = static_cast<std::uint32_t>(nodes_.size());
        if (free_.empty())
            nodes_.emplace_back();
        else
            i = free_.back(), free_.pop_back();
        nodes_[i].is = reference;
        of_place_[reference.place] = i;
        Set& set = sets_used_[set_of(reference.digest)];
        device_parts::link_newest(nodes_, set.ends, i);
        ++set.size;
    }
    void remove(std::uint32_t i) {
        const std::uint64_t key = set_of(nodes_[i].is.digest);
        Set& set = *sets_used_.find(key);
        device_parts::unlink(nodes_, set.ends, i);
        if (--set.size == 0) sets_used_.erase(key);
        of_place_.erase(nodes_[i].is.place);
        free_.push_back(i);
    }

    /// All references by set, least recently used first, so that equal stores have equal bytes.
    std::vector<Reference> by_set() const {
        std::vector<std::uint64_t> keys;
        sets_used_.all([&](std::uint64_t key, const Set&) {
            keys.push_back(key);
            return true;
        });
        std::sort(keys.begin(), keys.end());
        std::vector<Reference> all;
        for (const std::uint64_t key : keys)
            for (std::uint32_t i = sets_used_.find(key)->ends.oldest; i != device_parts::no_link;
                 i = nodes_[i].newer)
                all.push_back(nodes_[i].is);
        return all;
    }
    void load(Loader& l, const Reference& r) {
        l.check(r.count > 0, "has a reference without a block");
        l.check(!find(r.digest, r.mask), "has a digest twice");
        l.check(!find_place(r.place), "has two references of one place");
        const Set* const set = sets_used_.find(set_of(r.digest));
        l.check(!set || !full(*set), "has more references than a set has ways");
        put(r);
    }

    std::uint32_t sets_ = 0, ways_ = 0; ///< sets_ = 0: no limit
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> free_;
    HashMap<Set> sets_used_;          ///< sets that are not empty
    HashMap<std::uint32_t> of_place_; ///< node by place
};

} // namespace memsim::cmd
