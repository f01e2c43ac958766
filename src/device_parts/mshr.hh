#pragma once

#include "core/state/archive.hh"
#include "device_parts/tag_array.hh"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace memsim::device_parts {

/// Miss-status holding registers: lines being fetched, each with the targets that wait for it in
/// order of arrival. A value for State; nothing is allocated after resize(). An entry is identified
/// by its number, which the owner stores with the line (the lock of its tag), so that no search is
/// needed.
template <class Target>
class MshrTable {
  public:
    static constexpr std::string_view archived_as = "MshrTable";
    using Element = Target;
    static constexpr std::uint32_t none = ~std::uint32_t {0};

    struct Entry {
        std::uint32_t line = none;  ///< index in the tag array
        SectorMask pending = 0;     ///< sectors requested and not yet received
        bool dropped = false;       ///< the fetched data are for the targets only
        bool awaited = false;       ///< the component that dropped it waits for it
        Tick since = 0;             ///< when it was allocated
        std::uint32_t first = none; ///< target
        std::uint32_t last = none;  ///< target; in a free entry: the next free one
        std::uint32_t targets = 0;
    };

    template <class Archive>
    void archive(Archive& a) {
        a(entries_), a(nodes_), a(free_entry_), a(free_node_), a(size_);
        if constexpr (Loading<Archive>) // after resize(); a state that is only inspected has none
            a.check(targets_each_ == 0 || sound(), "has inconsistent lists");
    }

    void resize(std::uint32_t entries, std::uint32_t targets_each) {
        targets_each_ = targets_each;
        entries_.assign(entries, {});
        nodes_.assign(std::size_t {entries} * targets_each, {});
        for (std::uint32_t i = 0; i + 1 < entries; ++i) entries_[i].last = i + 1;
        for (std::uint32_t i = 0; i + 1 < nodes_.size(); ++i) nodes_[i].next = i + 1;
        free_entry_ = free_node_ = 0;
        size_ = 0;
    }

    bool full() const { return free_entry_ == none; }
    std::uint32_t size() const { return size_; }
    std::uint32_t free() const { return static_cast<std::uint32_t>(entries_.size()) - size_; }
    bool targets_full(std::uint32_t entry) const {
        return entries_[entry].targets == targets_each_;
    }
    Entry& operator[](std::uint32_t entry) { return entries_[entry]; }
    /// The entry that a message names.
    Entry& in_use(std::uint32_t entry) {
        MEMSIM_ASSERT(entry < entries_.size() && entries_[entry].line != none,
                      "a message names an MSHR that is free");
        return entries_[entry];
    }
    const Entry& operator[](std::uint32_t entry) const { return entries_[entry]; }

    /// Allocates an entry. Requires: not full().
    std::uint32_t allocate(std::uint32_t line, Tick now) {
        const std::uint32_t e = free_entry_;
        free_entry_ = entries_[e].last;
        entries_[e] = {line, 0, false, false, now, none, none, 0};
        ++size_;
        return e;
    }
    /// Appends a target. Requires: not targets_full().
    void add(std::uint32_t entry, const Target& target) {
        const std::uint32_t n = free_node_;
        free_node_ = nodes_[n].next;
        nodes_[n] = {target, none};
        Entry& e = entries_[entry];
        (e.first == none ? e.first : nodes_[e.last].next) = n;
        e.last = n;
        ++e.targets;
    }
    /// Removes, in order, the targets for which f(target) is true.
    template <class F>
    void serve(std::uint32_t entry, F&& f) {
        Entry& e = entries_[entry];
        std::uint32_t before = none;
        for (std::uint32_t n = e.first; n != none;) {
            const std::uint32_t after = nodes_[n].next;
            if (f(nodes_[n].target)) {
                (before == none ? e.first : nodes_[before].next) = after;
                if (e.last == n) e.last = before;
                nodes_[n].next = free_node_;
                free_node_ = n;
                --e.targets;
            } else
                before = n;
            n = after;
        }
    }
    /// Calls f(target) for the targets of an entry, in order of arrival.
    template <class F>
    void for_each_target(std::uint32_t entry, F&& f) const {
        for (std::uint32_t n = entries_[entry].first; n != none; n = nodes_[n].next)
            f(nodes_[n].target);
    }
    /// Releases an entry. Requires: it has no targets.
    void release(std::uint32_t entry) {
        MEMSIM_ASSERT(entries_[entry].targets == 0, "an MSHR is freed while targets wait");
        entries_[entry].last = free_entry_;
        entries_[entry].line = none;
        free_entry_ = entry;
        --size_;
    }
    /// Marks all entries in use: their lines must not become valid.
    void drop_all() {
        for (Entry& e : entries_)
            if (e.line != none) e.dropped = true;
    }

    /// Marks the entries whose line f(line) selects, for a caller that waits for them. Returns
    /// their number.
    template <class F>
    std::uint32_t drop_and_await(F&& f) {
        std::uint32_t n = 0;
        for (Entry& e : entries_)
            if (e.line != none && f(e.line)) {
                e.dropped = e.awaited = true;
                ++n;
            }
        return n;
    }

    /// For a loaded table: visits each entry in use, and each waiting target.
    template <class OfEntry, class OfTarget>
    void for_each(OfEntry&& of_entry, OfTarget&& of_target) const {
        for (std::uint32_t e = 0; e < entries_.size(); ++e) {
            if (entries_[e].line == none) continue;
            of_entry(e, entries_[e]);
            for (std::uint32_t n = entries_[e].first; n != none; n = nodes_[n].next)
                of_target(nodes_[n].target);
        }
    }

  private:
    struct Node {
        Target target {};
        std::uint32_t next = none; ///< next in its entry's list or in the free list
    };
    /// Whether each entry is either in use or free, and each node in exactly one list: an entry's
    /// or the free list.
    bool sound() const {
        std::vector<bool> entry(entries_.size()), node(nodes_.size());
        std::size_t free = 0;
        for (std::uint32_t e = free_entry_; e != none; e = entries_[e].last, ++free) {
            if (e >= entries_.size() || entry[e]) return false;
            entry[e] = true;
        }
        const auto follow = [&](std::uint32_t n,
                                std::uint32_t& last) { // number of nodes, or none if invalid
            std::uint32_t count = 0;
            for (last = none; n != none; last = n, n = nodes_[n].next, ++count) {
                if (n >= nodes_.size() || node[n]) return none;
                node[n] = true;
            }
            return count;
        };
        std::uint32_t last = none;
        if (free + size_ != entries_.size() || follow(free_node_, last) == none) return false;
        for (std::uint32_t e = 0; e < entries_.size(); ++e) {
            const Entry& in = entries_[e];
            if (entry[e]) continue;
            if (follow(in.first, last) != in.targets || last != in.last) return false;
            if (in.targets > targets_each_) return false;
        }
        return std::find(node.begin(), node.end(), false) == node.end();
    }

    std::uint32_t targets_each_ = 0;
    std::vector<Entry> entries_;
    std::vector<Node> nodes_;
    std::uint32_t free_entry_ = none;
    std::uint32_t free_node_ = none;
    std::uint32_t size_ = 0;
};

} // namespace memsim::device_parts
