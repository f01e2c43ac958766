#pragma once

#include "core/hash_map.hh"

#include <cstdint>
#include <vector>

namespace memsim::gpu {

/// A page of an address space, as a key of tables: pages are below 2^48.
constexpr std::uint64_t page_key(std::uint16_t application, std::uint64_t page) {
    return std::uint64_t {application} << 48 | page;
}
constexpr std::uint64_t page_of(std::uint64_t key) { return key & ((std::uint64_t {1} << 48) - 1); }
constexpr std::uint16_t application_of(std::uint64_t key) {
    return static_cast<std::uint16_t>(key >> 48);
}

/// What a TLB holds: a set-associative table from pages to frames, LRU within a set. A value for
/// State. A look-up costs one comparison where it is the page of the look-up before, else one in a
/// hash table, whatever the associativity.
class TlbArray {
  public:
    static constexpr std::string_view archived_as = "TlbArray";
    static constexpr std::uint64_t none = ~std::uint64_t {0};
    struct Entry {
        std::uint64_t key = none;
        std::uint64_t frame = 0;
        std::uint64_t used = 0; ///< when, by clock_
        bool writable = false;
    };

    template <class Archive>
    void archive(Archive& a) {
        a(entries_), a(index_), a(clock_);
        if constexpr (Loading<Archive>) {
            std::size_t held = 0; // each found where the index says, and nowhere else
            for (std::size_t i = 0; i < entries_.size(); ++i)
                if (entries_[i].key != none) {
                    const std::uint32_t* const at = index_.find(entries_[i].key);
                    held += at && *at == i;
                }
            a.check(held == index_.size(), "has an index of other pages");
        }
    }

    /// `entries` is a multiple of `ways`; no entries: holds nothing.
    void resize(std::uint32_t entries, std::uint32_t ways) {
        ways_ = ways;
        sets_ = entries / ways;
        entries_.assign(entries, {});
    }

    /// The entry of a page, or nullptr; notes the use.
    Entry* find(std::uint64_t key) {
        if (last_ >= entries_.size() || entries_[last_].key != key) {
            const std::uint32_t* at = index_.find(key);
            if (!at) return nullptr;
            last_ = *at;
        }
        Entry& e = entries_[last_];
        if (e.used != clock_) e.used = ++clock_;
        return &e;
    }
    /// Takes the place of the entry of its set used longest ago; true if that held a page.
    bool insert(std::uint64_t key, std::uint64_t frame, bool writable) {
        if (sets_ == 0) return false;
        std::uint32_t place = 0;
        if (const std::uint32_t* at = index_.find(key))
            place = *at;
        else {
            const auto first = static_cast<std::uint32_t>(page_of(key) % sets_) * ways_;
            place = first;
            for (std::uint32_t i = first; i < first + ways_; ++i) {
                if (entries_[i].key == none) {
                    place = i;
                    break;
                }
                if (entries_[i].used < entries_[place].used) place = i;
            }
        }
        Entry& e = entries_[place];
        const bool evicts = e.key != none && e.key != key;
        if (evicts) index_.erase(e.key);
        if (e.key != key) index_[key] = place;
        e = {key, frame, ++clock_, writable};
        return evicts;
    }
    bool erase(std::uint64_t key) {
        const std::uint32_t* at = index_.find(key);
        if (!at) return false;
        entries_[*at] = {};
        return index_.erase(key);
    }
    /// Forgets pages that follow each other; returns how many it held.
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
    std::uint32_t ways_ = 1, sets_ = 0;
    std::vector<Entry> entries_;
    HashMap<std::uint32_t> index_;
    std::uint64_t clock_ = 0;
    std::uint32_t last_ = 0; ///< the entry found last: a hint, and no part of what is saved
};

} // namespace memsim::gpu
