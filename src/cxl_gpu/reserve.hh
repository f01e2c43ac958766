#pragma once

#include "core/state/fifo.hh"
#include "core/state/free_list.hh"
#include "core/state/hash_map.hh"
#include "protocol/mem.hh"

#include <array>
#include <bit>

namespace memsim::cxl_gpu {

/// Where a store's copy lies until the endpoint has it: a line of the reserve in GPU memory for
/// each entry of the address list. The list is found by line; hardware keeps it as a red-black
/// tree, of which levels() is the depth. Entries that the endpoint has not been sent are a stack.
/// A value for State.
class Reserve {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t {0};
    static constexpr std::uint32_t most_sectors = 4; ///< of a line

    /// Of each byte of a line, whether it was stored: where the machine carries contents.
    using Known = std::array<std::uint32_t, most_sectors>;
    enum class Phase : std::uint8_t { free, stacked, leaving };
    struct Entry {
        std::uint64_t line = 0; ///< its number
        std::uint16_t application = 0;
        std::uint16_t sectors = 0; ///< written, a bit each
        std::uint16_t whole = 0;   ///< of them, those of which every byte was written
        std::uint16_t moved =
            0; ///< and those whose bytes were moved there (core/kernel/contents.hh)
        Known known {};
        Phase phase = Phase::free;
        bool again = false; ///< written since it began to leave

        /// Notes what a store writes, `first` being its first sector here.
        void note(const protocol::MemRequest& r, std::uint32_t first) {
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
        if constexpr (Loading<Archive>) // after resize(): else it is only looked at
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
    /// Steps of a look-up in a balanced tree of so many entries.
    std::uint32_t levels() const { return static_cast<std::uint32_t>(std::bit_width(size())); }

    std::uint32_t find(std::uint64_t line) const {
        const std::uint32_t* e = tree_.find(line);
        return e ? *e : none;
    }
    Entry& operator[](std::uint32_t e) { return entries_[e]; }
    const Entry& operator[](std::uint32_t e) const { return entries_[e]; }

    /// An entry for a line that has none; not full(). On the stack, or on its way to the endpoint.
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
    /// The newest of the stack begins to leave.
    std::uint32_t leave() {
        const std::uint32_t e = stack_.back();
        stack_.erase(stack_.size() - 1);
        entries_[e].phase = Phase::leaving;
        return e;
    }
    /// One of the stack is to leave next.
    void raise(std::uint32_t e) {
        for (std::uint32_t i = 0; i < stack_.size(); ++i)
            if (stack_[i] == e) {
                stack_.erase(i);
                stack_.push(e);
                return;
            }
    }
    /// The endpoint has what an entry held when it began to leave. One that was written since goes
    /// back to the stack.
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
    HashMap<std::uint32_t> tree_; ///< entries by line
    Fifo<std::uint32_t> stack_;   ///< the newest at the back
};

} // namespace memsim::cxl_gpu
