#pragma once

#include "core/base/bits.hh"
#include "core/state/hash_map.hh"
#include "device_parts/tag_policies/lru.hh"

#include <cstdint>
#include <vector>

namespace memsim::gpu {

/// A page of an address space, as a key of tables: page numbers are below 2^48.
constexpr std::uint64_t page_key(std::uint16_t application, std::uint64_t page) {
    return std::uint64_t {application} << 48 | page;
}
constexpr std::uint64_t page_of(std::uint64_t key) { return key & low_bits(48); }
constexpr std::uint16_t application_of(std::uint64_t key) {
    return static_cast<std::uint16_t>(key >> 48);
}

/// The entries of a TLB: a set-associative table from pages to frames, with a tag policy for its
/// sets. A value for State. A lookup costs one comparison if it repeats the previous page, else one
/// hash-table access, independent of the associativity.
class TlbArray {
  public:
    static constexpr std::string_view archived_as = "TlbArray";
    static constexpr std::uint64_t none = ~std::uint64_t {0};
    struct Entry {
        std::uint64_t key = none;
        std::uint64_t frame = 0;
        bool writable = false;
    };

    template <class Archive>
    void archive(Archive& a) {
        a(entries_), a(index_), a(words_), a(policy_), a(touched_);
        if constexpr (Loading<Archive>) {
            std::size_t held = 0; // entries found where the index points, and nowhere else
            for (std::size_t i = 0; i < entries_.size(); ++i)
                if (entries_[i].key != none) {
                    const std::uint32_t* const at = index_.find(entries_[i].key);
                    held += at && *at == i;
                }
            a.check(held == index_.size(), "has an index of other pages");
        }
    }

    /// Requires: `entries` is a multiple of `ways`; 0 entries hold no page. `place`: prefix of the
    /// policy's errors and of the names of its random streams.
    void resize(std::uint32_t entries, std::uint32_t ways, const std::string& policy,
                const std::string& place, std::uint64_t seed) {
        ways_ = ways;
        sets_ = entries / ways;
        entries_.assign(entries, {});
        words_.assign(entries, 0);
        policy_.make(policy, place, seed);
        policy_->resize(sets_, ways);
    }

    /// The entry of a page, or nullptr. Records the use.
    Entry* find(std::uint64_t key) {
        if (last_ >= entries_.size() || entries_[last_].key != key) {
            const std::uint32_t* at = index_.find(key);
            if (!at) return nullptr;
            last_ = *at;
        }
        touch(last_);
        return &entries_[last_];
    }
    /// Inserts a page into an empty entry of its set, or evicts one. Returns true if it evicted a
    /// page.
    bool insert(std::uint64_t key, std::uint64_t frame, bool writable) {
        if (sets_ == 0) return false;
        if (const std::uint32_t* at = index_.find(key)) {
            touch(*at);
            entries_[*at] = {key, frame, writable};
            return false;
        }
        const auto first = static_cast<std::uint32_t>(page_of(key) % sets_) * ways_;
        std::uint32_t place = first;
        while (place < first + ways_ && entries_[place].key != none) ++place;
        const bool evicts = place == first + ways_;
        if (evicts) {
            place = policy_->victim(words(), {first, first + ways_});
            index_.erase(entries_[place].key);
        }
        policy_->insert(words(), place, evicts);
        touched_ = no_place;
        index_[key] = place;
        entries_[place] = {key, frame, writable};
        return evicts;
    }
    bool erase(std::uint64_t key) {
        const std::uint32_t* at = index_.find(key);
        if (!at) return false;
        entries_[*at] = {};
        policy_->drop(words(), *at);
        return index_.erase(key);
    }
    /// Removes consecutive pages. Returns the number of pages removed.
    std::uint32_t erase(std::uint64_t key, std::uint64_t pages) {
        std::uint32_t held = 0;
        if (pages <= entries_.size()) {
            for (std::uint64_t i = 0; i < pages; ++i) held += erase(key + i);
            return held;
        }
        for (const Entry& e : entries_)
            if (e.key != none && e.key - key < pages) held += erase(e.key);
        return held;
    }

  private:
    device_parts::TagWords words() { return {words_.data(), ways_, ways_, sets_}; }
    /// Records consecutive lookups of an entry once: a waiting request is looked up whenever its
    /// owner wakes.
    void touch(std::uint32_t place) {
        if (place == touched_) return;
        touched_ = place;
        policy_.with<device_parts::Lru>([&](auto& p) { p.touch(words(), place); });
    }

    std::uint32_t ways_ = 1, sets_ = 0;
    std::vector<Entry> entries_;
    HashMap<std::uint32_t> index_;
    std::vector<std::uint32_t> words_; ///< the policy's word of each entry
    Policy<device_parts::TagPolicy> policy_;
    static constexpr std::uint32_t no_place = ~std::uint32_t {0};
    std::uint32_t touched_ = no_place; ///< last one, unless another was inserted since
    std::uint32_t last_ = 0;           ///< entry found last; only a hint, not saved
};

} // namespace memsim::gpu
