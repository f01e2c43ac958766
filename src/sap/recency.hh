#pragma once

#include "core/state/hash_map.hh"

#include <bit>
#include <cstdint>
#include <vector>

namespace memsim::sap {

/// Units in the order of their last accesses, which finds a unit's place and the unit at a place in
/// logarithmic time: times of last accesses are marked in a Fenwick tree (Fenwick, 1994), and
/// numbered anew when it is full. A value for State.
class Recency {
  public:
    static constexpr std::uint32_t never = ~std::uint32_t {0};
    struct Unit {
        std::uint32_t time = 0; ///< of its last access, from 1 on
        /// The least capacity, in units, at which it has been held since it was written; `never`:
        /// it was not written.
        std::uint32_t dirty_from = never;
    };

    static constexpr std::string_view archived_as = "Recency";
    template <class Archive>
    void archive(Archive& a) {
        a(units_), a(numbers_), a(places_);
        if constexpr (Loading<Archive>) {
            const bool numbered =
                numbers_.size() == units_.size() &&
                numbers_.all([&](std::uint64_t, std::uint32_t n) { return n < units_.size(); });
            a.check(numbered, "finds units where they are not");
            a.check(places_ <= 8 * units_.size() + 1024 && std::has_single_bit(places_) && mark(),
                    "has units accessed at times that it does not have");
        }
    }

    std::uint32_t size() const { return static_cast<std::uint32_t>(units_.size()); }
    Unit* find(std::uint64_t unit) {
        const std::uint32_t* n = numbers_.find(unit);
        return n ? &units_[*n] : nullptr;
    }
    /// Units accessed since this one was, it included.
    std::uint32_t distance(const Unit& u) const { return size() - sum(u.time) + 1; }
    /// The one that was accessed as the n-th last, from 1 to size().
    Unit& at(std::uint32_t n) { return units_[by_time_[place(size() - n + 1)]]; }
    /// It is the last one now; one that was never seen before is added.
    Unit& access(std::uint64_t unit) {
        if (now_ + 1 >= places_) renumber();
        const std::uint32_t* known = numbers_.find(unit);
        const std::uint32_t n = known ? *known : size();
        if (known) {
            add(units_[n].time, -1);
        } else {
            numbers_[unit] = n;
            units_.emplace_back();
        }
        units_[n].time = ++now_;
        by_time_[now_] = n;
        add(now_, 1);
        return units_[n];
    }

  private:
    /// Marked times up to this one.
    std::uint32_t sum(std::uint32_t time) const {
        std::uint32_t marked = 0;
        for (; time; time &= time - 1) marked += marks_[time];
        return marked;
    }
    void add(std::uint32_t time, int change) {
        for (; time < places_; time += time & -time)
            marks_[time] += static_cast<std::uint32_t>(change);
    }
    /// The n-th marked time.
    std::uint32_t place(std::uint32_t n) const {
        std::uint32_t time = 0;
        for (auto step = places_ / 2; step; step /= 2)
            if (marks_[time + step] < n) n -= marks_[time += step];
        return time + 1;
    }
    /// Times become 1 to size(), in their order.
    void renumber();
    /// Marks the times of all units. False if one is no place, or two are the same.
    bool mark();

    std::vector<Unit> units_;        ///< in the order in which they were seen first
    HashMap<std::uint32_t> numbers_; ///< of units there, by unit
    std::uint32_t places_ = 1;       ///< times are below it; a power of two
    // Found from these.
    std::vector<std::uint32_t> marks_, by_time_;
    std::uint32_t now_ = 0;
};

} // namespace memsim::sap
