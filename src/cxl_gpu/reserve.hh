#pragma once

#include "core/state/fifo.hh"
#include "core/state/free_list.hh"
#include "core/state/hash_map.hh"
#include "protocol/mem.hh"

#include <array>
#include <bit>

namespace memsim::cxl_gpu {

/// Holds copies of stores until the endpoint has them: one line of the reserve in GPU memory per
/// entry of the address list. Entries are found by line; hardware keeps them in a red-black tree,
/// whose depth is levels(). Entries not yet sent to the endpoint form a stack. A value for State.
class Reserve {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t {0};
    static constexpr std::uint32_t most_sectors = 4; ///< per line

    /// Stored bytes of a line, if the machine carries contents.
    using Known = std::array<std::uint32_t, most_sectors>;
    enum class Phase : std::uint8_t { free, stacked, leaving };
    struct Entry {
        std::uint64_t line = 0; ///< line number
        std::uint16_t application = 0;
        std::uint16_t sectors = 0; ///< written sectors, one bit each
        std::uint16_t whole = 0;   ///< of these, sectors written as a whole
        std::uint16_t moved =
            0; ///< and sectors whose bytes were moved there (core/kernel/contents.hh)
        Known known {};
        Phase phase = Phase::free;
        bool again = false; ///< written since it began to leave

        std::uint32_t first_sector() const {
            return static_cast<std::uint32_t>(std::countr_zero(sectors));
        }
        /// A read of the stored sectors from the line's own address.
        protocol::MemRequest read(std::uint64_t line_bytes) const {
            protocol::MemRequest r;
            const std::uint32_t first = first_sector();
            r.address = line * line_bytes + first * SectorBytes::size;
            r.bytes =
                (static_cast<std::uint32_t>(std::bit_width(sectors)) - first) * SectorBytes::size;
            r.application = application;
            r.sectors = static_cast<std::uint16_t>(sectors >> first);
            if ((r.sectors & (r.sectors + 1)) == 0) r.sectors = 0; // all sectors
            return r;
        }
        /// Records the sectors that a store writes; `first`: its first sector within the line.
        void record_store(const protocol::MemRequest& r, std::uint32_t first) {
            for_each_sector(r, [&](std::uint64_t number, std::uint32_t i) {
                const std::uint64_t from = number * SectorBytes::size;
                const auto sector = static_cast<std::uint16_t>(1u << (first + i));
                sectors |= sector;
                if (!(r.partial >> i & 1) && r.address <= from &&
                    from + SectorBytes::size <= r.address + r.bytes)
                    whole |= sector;
            });
        }
    };

    static constexpr std::string_view archived_as = "Reserve";
    template <class Archive>
    void archive(Archive& a) {
        a(entries_), a(free_), a(tree_), a(stack_);
        if constexpr (Loading<Archive>) // loading after resize(); otherwise the state is only
                                        // inspected
            a.check(entries_.empty() || sound(), "lists lines that it does not hold");
    }

    void resize(std::uint32_t entries) {
        entries_.assign(entries, {});
        for (std::uint32_t i = entries; i-- > 0;) free_.push_back(i);
        stack_.reserve(entries);
    }
    std::uint32_t capacity() const { return static_cast<std::uint32_t>(entries_.size()); }
    std::uint32_t size() const {
        return static_cast<std::uint32_t>(entries_.size() - free_.size());
    }
    bool full() const { return free_.empty(); }
    std::uint32_t stacked() const { return stack_.size(); }
    /// Steps of a search in a balanced tree with this many entries.
    std::uint32_t levels() const { return static_cast<std::uint32_t>(std::bit_width(size())); }

    std::uint32_t find(std::uint64_t line) const {
        const std::uint32_t* e = tree_.find(line);
        return e ? *e : none;
    }
    Entry& operator[](std::uint32_t e) { return entries_[e]; }
    const Entry& operator[](std::uint32_t e) const { return entries_[e]; }

    /// Allocates an entry for a line that has none, on the stack or in transit to the endpoint.
    /// Requires !full().
    std::uint32_t claim(std::uint64_t line, std::uint16_t application, Phase phase) {
        const std::uint32_t e = free_.back();
        free_.pop_back();
        entries_[e] = {};
        entries_[e].line = line;
        entries_[e].application = application;
        entries_[e].phase = phase;
        tree_[line] = e;
        if (phase == Phase::stacked) stack_.push(e);
        return e;
    }
    /// Pops the newest entry of the stack, which begins to leave.
    std::uint32_t leave() {
        const std::uint32_t e = stack_.back();
        stack_.erase(stack_.size() - 1);
        entries_[e].phase = Phase::leaving;
        return e;
    }
    /// Moves an entry to the top of the stack.
    void raise(std::uint32_t e) {
        for (std::uint32_t i = 0; i < stack_.size(); ++i)
            if (stack_[i] == e) {
                stack_.erase(i);
                stack_.push(e);
                return;
            }
    }
    /// The endpoint has the contents that an entry had when it began to leave. If it was written
    /// since, it returns to the stack.
    void left(std::uint32_t e) {
        Entry& entry = entries_[e];
        if (entry.again) {
            entry.again = false;
            entry.phase = Phase::stacked;
            stack_.push(e);
            return;
        }
        tree_.erase(entry.line);
        entry = {};
        free_.push_back(e);
    }

  private:
    bool sound() const {
        std::size_t used = 0, stacked = 0;
        for (std::uint32_t e = 0; e < entries_.size(); ++e) {
            if (entries_[e].phase == Phase::free) continue;
            ++used, stacked += entries_[e].phase == Phase::stacked;
            if (find(entries_[e].line) != e) return false;
        }
        for (std::uint32_t i = 0; i < stack_.size(); ++i)
            if (stack_[i] >= entries_.size() || entries_[stack_[i]].phase != Phase::stacked)
                return false;
        return used == tree_.size() && used == size() && stacked == stack_.size();
    }

    std::vector<Entry> entries_;
    FreeList free_;
    HashMap<std::uint32_t> tree_; ///< entry by line
    Fifo<std::uint32_t> stack_;   ///< newest at the back
};

} // namespace memsim::cxl_gpu
