#pragma once

#include "core/state/archive.hh"

#include <cstdint>
#include <vector>

namespace memsim {

/// The numbers of a table's free places, a value for State. The number returned last is used first.
/// A loaded list holds a subset of the numbers that init() has added, each once; if the table grows
/// instead, its owner calls check_loaded().
class FreeList {
  public:
    static constexpr std::string_view archived_as = "FreeList";
    template <class Archive>
    void archive(Archive& a) {
        const std::size_t places = free_.size(); // of a machine that has not started
        std::uint64_t n = free_.size();
        a(n);
        if constexpr (Loading<Archive>) {
            a.check(n <= places || places == 0, "has more numbers than there are places");
            free_.clear();
            std::vector<bool> seen(places);
            for (std::uint64_t i = 0; i < n; ++i) {
                std::uint32_t place = 0;
                a(place);
                if (places) {
                    a.check(place < places && !seen[place],
                            "has a number that is not a free place");
                    seen[place] = true;
                }
                free_.push_back(place);
            }
        } else {
            for (std::uint32_t place : free_) a(place);
        }
    }

    bool empty() const { return free_.empty(); }
    std::size_t size() const { return free_.size(); }
    std::uint32_t back() const {
        MEMSIM_ASSERT(!free_.empty(), "a place is taken although none is free");
        return free_.back();
    }
    void pop_back() { free_.pop_back(); }
    void push_back(std::uint32_t place) { free_.push_back(place); }
    void clear() { free_.clear(); }

    /// For a table that has grown to this number of places.
    void check_loaded(Loader& l, std::string_view field, std::size_t places) const {
        std::vector<bool> seen(places);
        for (const std::uint32_t place : free_) {
            l.index(field, place, places);
            l.within(field, [&] { l.check(!seen[place], "has a number twice"); });
            seen[place] = true;
        }
    }

  private:
    std::vector<std::uint32_t> free_;
};

} // namespace memsim
