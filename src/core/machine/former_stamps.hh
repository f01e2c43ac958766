#pragma once

#include "core/base/units.hh"
#include "core/state/histogram.hh"
#include "core/state/pool.hh"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace memsim {

/// The stamps of a checkpoint that does not name its stages; these stamps have space for 32 stages.
/// They are read only to skip them. A run that has any is refused, because the meaning of its
/// stages is unknown.
struct FormerStamps {
    static constexpr std::string_view archived_as = "FormerStamps";
    struct Record {
        std::uint64_t number = 0, address = 0;
        Tick opened = 0, last = 0;
        std::array<Tick, 32> spent {};
    };
    std::uint64_t every = 0, seen = 0;
    Pool<Record> records;
    std::array<Histogram, 32> stages;
    Histogram lifetimes;
    std::vector<Record> slowest;

    template <class Archive>
    void archive(Archive& a) {
        a(every), a(seen), a(records), a(stages), a(lifetimes), a(slowest);
    }
};

} // namespace memsim
