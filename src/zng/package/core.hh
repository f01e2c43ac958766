#pragma once

#include "core/kernel/simulation.hh"
#include "zng/package/flash_usage.hh"
#include "zng/package/page_versions.hh"
#include "zng/package/register_wires.hh"
#include "zng/package/row_decoders.hh"
#include "zng/package/stalled_writes.hh"
#include "zng/package/stats.hh"
#include "zng/package/workers.hh"

namespace memsim::zng::package {

struct State {
    Workers::State workers;
    PageReads::State reads;
    StalledWrites::State stalled;
    Fifo<Request> moves;
    RowDecoders::State decoders;
    RegisterState registers;
    RegisterWires::State wires, io;
    Timer next_answer; ///< when the first answer of a port may leave
    Answers::State answers;
    flash::NandArrayState array;
    flash::PageContents held;        ///< pages of registers and workers; see PageVersions
    std::uint32_t programming = 0;   ///< workers that are programming
    std::uint64_t erase_squares = 0; ///< sum over all blocks of the square of their erases
    std::uint32_t touched = 0;       ///< blocks touched, at the last count
};

/// Schedules the end of a worker's operation.
class Alarm {
  public:
    virtual ~Alarm() = default;
    virtual void finish_in(Time t, std::uint32_t worker) = 0;
};

/// The state that the parts of a package share. All references must outlive it.
struct Core {
    struct Start { ///< log blocks per plane at the start, and the number of pages written in each
        std::uint32_t first_log = 0, last_log = 0, least_filled = 0, filled = 0;
    };
    Core(const Params& p, const flash::NandTiming& timing, const Start& start, SimulationRef sim,
         State& state, Stats& stat, Alarm& alarm);
    Core(const Core&) = delete;

    const Params& params;
    const flash::NandTiming& timing;
    SimulationRef sim;
    State& state;
    Stats& stat;
    Alarm& alarm;
    Numbering n;
    flash::NandArray array;
    RegisterFile registers;
    PageVersions versions;
    RowDecoders decoders;
    PageReads reads;
    StalledWrites stalled;
    RegisterWires wires; ///< between registers of different planes
    RegisterWires io;    ///< between registers of a plane and the ports
    Answers answers;
    Workers workers;
    bool has_io_path;   ///< the I/O path takes time
    bool again = false; ///< a resource became free for which parts may wait

    /// The sectors of a line that neither a register nor a page being programmed holds.
    unsigned missing(std::uint64_t page, unsigned line, unsigned sectors) const;
    FlashUsage usage() const;
    /// The current places of a forwarded page. A page that is being moved is still at its old place
    /// in the array.
    PagePlaces places_of(const PageAddress& a) const;
    std::uint64_t array_page(const PageAddress& a) const {
        const RowDecoders::Place at = decoders.locate(a);
        return array.page(a.plane, at.block, at.page);
    }
    /// A record of the contents of sectors of a line, if the machine carries contents.
    Contents::Id contents_of(const PageAddress& a, unsigned line, unsigned sectors) {
        return versions.carries() ? versions.read(places_of(a), line, sectors) : Contents::Id {};
    }
    struct Crossing {
        Tick begins, ends;
    };
    /// Reserves the I/O path of a plane for a line, after all earlier reservations.
    Crossing cross_io_path(std::uint32_t plane, std::uint32_t bytes) {
        const Tick now = sim.now();
        if (!has_io_path) return {now, now};
        const Tick begins = std::max(io.free_at(plane), now);
        const Tick ends = now + io.take(plane, bytes, now).raw;
        stat.io_time.add(now, begins, ends);
        return {begins, ends};
    }
    void make_idle(std::uint32_t worker) {
        workers.make_idle(worker);
        again = true;
    }
    void release(std::uint32_t reg) {
        registers.release(reg);
        stat.registers_used.set(sim.now(), registers.used());
    }
};

} // namespace memsim::zng::package
