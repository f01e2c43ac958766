#pragma once

#include "mem/cache/core.hh"

namespace memsim::mem::cache {

/// Responses to fetches. They are always accepted.
class Fills {
  public:
    /// The effect of a fill on its MSHR.
    struct Done {
        std::uint32_t line = parts::TagArray::none; ///< line whose fetch is complete, or none
        bool awaited = false;                       ///< a flush waited for it
    };
    explicit Fills(Core& core) : c_(core) {}

    /// Marks the sectors valid, unless they were dropped meanwhile. Calls answer(response, line,
    /// mark) for each request whose sectors are now complete.
    template <class F>
    Done fill(const protocol::MemResponse& r, F&& answer) {
        Lines& lines = c_.lines;
        parts::TagArray& tags = lines.tags;
        auto& mshr = lines.mshrs.in_use(r.tag);
        const std::uint32_t line = mshr.line;
        const SectorMask here = c_.map.sectors(r).touched;
        c_.state.fetching -= r.payload();
        mshr.pending &= static_cast<SectorMask>(~here);
        if (lines.bytes) lines.bytes->fill(line, r);
        if (!mshr.dropped) {
            tags.add_valid(line, here);
            if (!c_.config.write_back() && !tags.kept(line)) tags.clean(line, here);
            if (!c_.config.fill_port) {
                c_.slots.free(c_.sim.now()); // makes the cycle of now() the current one
                c_.occupy(c_.map.bank(r.address), c_.config.write_cycles);
            }
        }
        lines.mshrs.serve(r.tag, [&](const Target& t) {
            if (t.sectors & mshr.pending) return false;
            if (t.answer.command != protocol::Command::read) {
                tags.add_valid(line, t.sectors);
                tags.add_dirty(line, t.sectors);
            }
            if (!t.posted) {
                --c_.state.owed;
                answer(t.answer, line, !t.fetched);
            }
            return true;
        });
        if (mshr.pending) return {};
        const Done done {line, mshr.awaited};
        c_.stat.miss_latency.sample(Time {c_.sim.now() - mshr.since});
        c_.mshr_use.release(tags.tag(line)); // before unlock(): an empty line loses its tag then
        tags.unlock(line);
        lines.mshrs.release(r.tag);
        c_.stat.mshrs_used.set(c_.sim.now(), c_.mshr_use.used());
        return done;
    }

  private:
    Core& c_;
};

} // namespace memsim::mem::cache
