#pragma once

#include "mem/cache/banked_slots.hh"
#include "mem/cache/lines/mshr_use.hh"
#include "mem/cache/lines/partitions.hh"
#include "mem/cache/stats.hh"

namespace memsim::mem::cache {

/// Responses to fetches. They are always accepted.
class Fills {
  public:
    /// The effect of a fill on its MSHR.
    struct Done {
        std::uint32_t line =
            device_parts::TagArray::none; ///< line whose fetch is complete, or none
        bool awaited = false;             ///< a flush waited for it
    };
    struct Uses {
        const Config& config;
        const Map& map;
        Lines& lines;
        MshrUse& mshr_use;
        BankedSlots& slots;
        Banks& banks;
        Partitions& partitions;
        SimulationRef sim;
        Stats& stat;
        std::uint64_t& owed;     ///< requests without a response
        std::uint64_t& fetching; ///< bytes in flight from the next level
    };
    explicit Fills(const Uses& uses) : use_(uses) {}

    /// Marks the sectors valid, unless they were dropped meanwhile. Calls answer(response, line,
    /// mark) for each request whose sectors are now complete.
    template <class F>
    Done fill(const protocol::MemResponse& r, F&& answer) {
        Lines& lines = use_.lines;
        device_parts::TagArray& tags = lines.tags;
        auto& mshr = lines.mshrs.in_use(r.tag);
        const std::uint32_t line = mshr.line;
        const SectorMask here = use_.map.sectors(r).touched;
        use_.fetching -= r.payload();
        mshr.pending &= static_cast<SectorMask>(~here);
        if (lines.bytes) lines.bytes->fill(line, r);
        if (!mshr.dropped) {
            tags.add_valid(line, here);
            if (!use_.config.write_back() && !tags.kept(line)) tags.clean(line, here);
            if (!use_.config.fill_port) {
                use_.slots.free(use_.sim.now()); // makes the cycle of now() the current one
                use_.banks.occupy(use_.map.bank(r.address), use_.config.write_cycles);
            }
        }
        lines.mshrs.serve(r.tag, [&](const Target& t) {
            if (t.sectors & mshr.pending) return false;
            if (t.answer.command != protocol::Command::read) {
                tags.add_valid(line, t.sectors);
                tags.add_dirty(line, t.sectors);
                use_.partitions.written(line); // of a read that waited before it, too
            }
            if (!t.posted) {
                --use_.owed;
                answer(t.answer, line, !t.fetched);
            }
            return true;
        });
        if (mshr.pending) return {};
        const Done done {line, mshr.awaited};
        use_.stat.miss_latency.sample(Time {use_.sim.now() - mshr.since});
        use_.mshr_use.release(tags.tag(line)); // before unlock(): an empty line loses its tag then
        tags.unlock(line);
        lines.mshrs.release(r.tag);
        use_.stat.mshrs_used.set(use_.sim.now(), use_.mshr_use.used());
        return done;
    }

  private:
    Uses use_;
};

} // namespace memsim::mem::cache
