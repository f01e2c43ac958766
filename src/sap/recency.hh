#pragma once

#include "core/state/hash_map.hh"

#include <bit>
#include <cstdint>
#include <vector>

namespace memsim::sap {

/// Units in the order of their last accesses. Finds the position of a unit, and the unit at a
/// position, in logarithmic time: last access times are marked in a Fenwick tree (Fenwick, 1994)
/// and renumbered when it is full. A value for State.
class Recency {
  public:
    static constexpr std::uint32_t never = ~std::uint32_t {0};
    struct Unit {
        std::uint32_t time = 0; ///< of its last access; the first time is 1
        /// The smallest capacity, in units, at which it was held continuously since it was written;
        /// `never`: not written.
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
            a.check(numbered, "has an index that does not match its units");
            a.check(places_ <= 8 * units_.size() + 1024 && std::has_single_bit(places_) && mark(),
                    "has units with access times out of range");
        }
    }

    std::uint32_t size() const { return static_cast<std::uint32_t>(units_.size()); }
    Unit* find(std::uint64_t unit) {
        const std::uint32_t* n = numbers_.find(unit);
        return n ? &units_[*n] : nullptr;
    }
    /// Number of units accessed since this unit was, itself included.
    std::uint32_t distance(const Unit& u) const { return size() - sum(u.time) + 1; }
    /// The unit accessed n-th last, with n from 1 to size().
    Unit& at(std::uint32_t n) { return units_[by_time_[place(size() - n + 1)]]; }
    /// Makes the unit the most recent one; adds it if it is new.
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
    /// Number of marked times up to this one.
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
    /// Renumbers times to 1 .. size(), in order.
    void renumber();
    /// Marks the times of all units. Returns false if a time is out of range or occurs twice.
    bool mark();

    std::vector<Unit> units_;        ///< in order of first access
    HashMap<std::uint32_t> numbers_; ///< index of a unit
    std::uint32_t places_ = 1;       ///< upper bound of times; a power of two
    // Derived from the above.
    std::vector<std::uint32_t> marks_, by_time_;
    std::uint32_t now_ = 0;
};

} // namespace memsim::sap
