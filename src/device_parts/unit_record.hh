#pragma once

#include "core/state/fifo.hh"
#include "core/state/hash_map.hh"

#include <cstdint>
#include <utility>

namespace memsim::device_parts {

/// Units of memory that will be accessed, each once, in the order of their first mention. Beyond
/// `most` units the oldest is dropped. A value for State.
struct UnitRecord {
    Fifo<std::uint64_t> units;
    HashMap<bool> noted; ///< by unit

    /// Returns true if another unit was dropped.
    bool add(std::uint64_t unit, std::uint32_t most) {
        if (std::exchange(noted[unit], true)) return false;
        const bool full = units.size() == most;
        if (full) noted.erase(units.pop());
        units.push(unit);
        return full;
    }
    std::uint32_t size() const { return units.size(); }
    bool empty() const { return units.empty(); }
    /// Removes and returns the oldest unit.
    std::uint64_t take() {
        const std::uint64_t unit = units.pop();
        noted.erase(unit);
        return unit;
    }
    /// Calls f(unit) for each unit, in order, and empties the record.
    template <class F>
    void take_all(F&& f) {
        while (!empty()) f(take());
    }
    /// Whether list and index are consistent.
    bool sound() const {
        for (std::uint32_t i = 0; i < units.size(); ++i)
            if (!noted.find(units[i])) return false;
        return noted.size() == units.size();
    }
};

} // namespace memsim::device_parts
