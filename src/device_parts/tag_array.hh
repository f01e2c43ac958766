#pragma once

#include "core/state/archive.hh"
#include "device_parts/tag_policies/fifo.hh"
#include "device_parts/tag_policies/lru.hh"
#include "device_parts/tag_policies/random.hh"
#include "device_parts/tag_policies/srrip.hh"
#include "device_parts/tag_policies/tree_plru.hh"

#include <cstdint>
#include <vector>

namespace memsim::device_parts {

/// Mask of the sectors of one line.
using SectorMask = std::uint16_t;

/// The tags of a set-associative, sectored cache: any number of sets, up to 16 sectors per line. A
/// value for State; resize() sets the geometry. A line is identified by its index; its tag is the
/// number of the line that it holds.
///
/// A sector may be valid, dirty (written here), or both. It is dirty alone if a part was written
/// and the rest never arrived. A line may be locked with a number of the owner's (the MSHR that
/// fills it); it is then never evicted. No memory is allocated after resize().
///
/// A machine has many caches, each with more lines than the host's first-level caches. A line
/// therefore takes 16 bytes, and a set of 8 ways two adjacent cache lines of the host. A set
/// consists of four rows of words: low part of the tag, the policy's word, sectors, and state
/// (lock, flags, application, rest of the tag).
class TagArray {
    /// Calls f with the policy, which is inlined if it is one of these.
    template <class F>
    auto with_policy(F&& f) {
        return policy_.with<Lru, FifoOrder, Srrip, TreePlru, RandomOrder>(std::forward<F>(f));
    }

  public:
    static constexpr std::string_view archived_as = "TagArray";
    static constexpr std::uint32_t none = ~std::uint32_t {0};
    static constexpr unsigned most_sectors = 16;
    static constexpr std::uint32_t most_locks = (1u << 14) - 1;
    static constexpr std::uint32_t most_applications = 1u << 6;
    static constexpr std::uint64_t most_lines = (std::uint64_t {1} << 42) - 1; ///< of tags
    template <class Archive>
    void archive(Archive& a) {
        a(rows_), a(policy_);
    }

    /// `policy`: a tag policy with its parameters. `place`: prefix of its errors and of the names
    /// of its random streams.
    void resize(std::uint64_t sets, std::uint32_t ways, const std::string& policy,
                const std::string& place = "", std::uint64_t seed = 0);
    std::uint64_t sets() const { return rows_.size() * row_words / stride_; }
    std::uint32_t ways() const { return ways_; }

    /// The line with this tag in a set, or none. Has no side effects.
    std::uint32_t find(std::uint64_t set, std::uint64_t tag) const {
        const std::uint32_t first = line(set, 0);
        const std::uint32_t* const low = words() + first;
        for (std::uint32_t w = 0; w < ways_; ++w)
            if (low[w] == static_cast<std::uint32_t>(tag) &&
                low[w + 3 * ways_] >> high_shift == tag >> 32)
                return first + w;
        return none;
    }
    /// Prefetches a set into the host's caches.
    void prefetch(std::uint64_t set) const {
        for (std::uint32_t w = 0; w < 4 * ways_; w += row_words)
            __builtin_prefetch(words() + line(set, w));
    }
    std::uint32_t line(std::uint64_t set, std::uint32_t way) const {
        return static_cast<std::uint32_t>(set * stride_) + way;
    }
    /// The number of a line among all lines, from 0 without gaps.
    std::uint32_t number(std::uint32_t line) const {
        return line / stride_ * ways_ + line % stride_;
    }
    /// Whether this is the index of a line.
    bool has(std::uint32_t line) const { return line / stride_ < sets() && line % stride_ < ways_; }
    /// An access has hit the line.
    void touch(std::uint32_t line) { // short, so that a hit is inlined completely
        policy_.with<Lru, FifoOrder, Srrip>([&](auto& p) { p.touch(notes(), line); });
    }
    /// The line to evict of the ways [from, to): the first empty one, else by policy; none if all
    /// are locked. Has no side effects.
    std::uint32_t victim(std::uint64_t set, std::uint32_t from, std::uint32_t to);
    /// Assigns the line to another tag, without valid sectors.
    void replace(std::uint32_t line, std::uint64_t tag, std::uint32_t application) {
        with_policy([&](auto& p) { p.insert(notes(), line, !empty(line)); });
        words()[line] = static_cast<std::uint32_t>(tag);
        sectors(line) = 0;
        status(line) = (status(line) & lock_mask) | application << application_shift |
                       static_cast<std::uint32_t>(tag >> 32) << high_shift;
    }
    /// Empties a line; a locked line keeps its tag.
    void drop(std::uint32_t line) {
        sectors(line) = 0;
        status(line) &= ~(prefetched_bit | kept_bit);
        if (locked(line)) return;
        words()[line] = none;
        status(line) |= high_mask;
        with_policy([&](auto& p) { p.drop(notes(), line); });
    }

    std::uint64_t tag(std::uint32_t line) const {
        return words()[line] | std::uint64_t {status(line) >> high_shift} << 32;
    }
    std::uint32_t application(std::uint32_t line) const {
        return status(line) >> application_shift & (most_applications - 1);
    }
    SectorMask valid(std::uint32_t line) const { return static_cast<SectorMask>(sectors(line)); }
    SectorMask dirty(std::uint32_t line) const {
        return static_cast<SectorMask>(sectors(line) >> 16);
    }
    bool empty(std::uint32_t line) const { return sectors(line) == 0; }
    void add_valid(std::uint32_t line, SectorMask m) { sectors(line) |= m; }
    void add_dirty(std::uint32_t line, SectorMask m) { sectors(line) |= std::uint32_t {m} << 16; }
    /// Makes sectors neither valid nor dirty.
    void drop(std::uint32_t line, SectorMask m) {
        sectors(line) &= ~(m | std::uint32_t {m} << 16);
        if (empty(line)) drop(line);
    }
    void clean(std::uint32_t line, SectorMask m) { sectors(line) &= ~(std::uint32_t {m} << 16); }

    bool locked(std::uint32_t line) const { return status(line) & lock_mask; }
    std::uint32_t lock(std::uint32_t line) const { return (status(line) & lock_mask) - 1; }
    void lock(std::uint32_t line, std::uint32_t by) {
        status(line) = (status(line) & ~lock_mask) | (by + 1);
    }
    void unlock(std::uint32_t line) {
        status(line) &= ~lock_mask;
        if (empty(line)) drop(line);
    }
    /// Two flags for the owner.
    bool prefetched(std::uint32_t line) const { return status(line) & prefetched_bit; }
    bool kept(std::uint32_t line) const { return status(line) & kept_bit; }
    void set_prefetched(std::uint32_t line, bool on) { set(line, prefetched_bit, on); }
    void set_kept(std::uint32_t line, bool on) { set(line, kept_bit, on); }

  private:
    static constexpr std::uint32_t row_words = 16; ///< a cache line of the host
    struct alignas(64) Row {
        std::array<std::uint32_t, row_words> words {};
    };
    static constexpr std::uint32_t lock_mask = most_locks;
    static constexpr std::uint32_t prefetched_bit = 1u << 14, kept_bit = 1u << 15;
    static constexpr unsigned application_shift = 16, high_shift = 22;
    static constexpr std::uint32_t high_mask = ~std::uint32_t {0} << high_shift;

    std::uint32_t* words() { return rows_.data()->words.data(); }
    const std::uint32_t* words() const { return rows_.data()->words.data(); }
    TagWords notes() { return {words() + ways_, stride_, ways_, sets()}; }
    std::uint32_t& sectors(std::uint32_t line) { return words()[line + 2 * ways_]; }
    std::uint32_t sectors(std::uint32_t line) const { return words()[line + 2 * ways_]; }
    std::uint32_t& status(std::uint32_t line) { return words()[line + 3 * ways_]; }
    std::uint32_t status(std::uint32_t line) const { return words()[line + 3 * ways_]; }
    void set(std::uint32_t line, std::uint32_t bit, bool on) {
        status(line) = on ? status(line) | bit : status(line) & ~bit;
    }
    std::uint32_t ways_ = 0;
    std::uint32_t stride_ = row_words; ///< words per set
    std::vector<Row> rows_;
    Policy<TagPolicy> policy_;
};

} // namespace memsim::device_parts
