#include "mem/cache/core.hh"

namespace memsim::mem::cache {

using protocol::CacheEventKind;
using protocol::MemRequest;

Core::Core(const Params& p, const parts::Interleave& interleave, const NextLevel& below,
           Observers& observers, SimulationRef sim_, Stats& stat_, State& state_)
    : config(p, below.victims),
      map(p.line_bytes(), static_cast<std::uint64_t>(p.geometry.sector->raw),
          SetIndex(state_.set_hash), p.timing.banks(), interleave),
      sim(sim_), stat(stat_), state(state_),
      lines(config, map, state.tags, state.mshrs, below.port),
      mshr_use(p.queues.mshrs(), p.queues.mshr_lines(), state.mshrs, state.mshr_use),
      slots(p.timing.clock(), p.timing.accesses_per_cycle(), p.timing.banks(),
            p.timing.bank_ports(), state.slots),
      outlet({p.queues.mem_queue(), config.mshrs, p.queues.outstanding(), p.stage(),
              p.timing.miss_latency()},
             below.port, sim, state.outlet),
      observers_(observers) {
    stat.bank_busy.count_ahead([this](Tick now) { return slots.occupied_after(now); });
}

void Core::count(const Access& a) {
    const bool is_read = a.is_read();
    const SectorMask missing = a.missing();
    const SectorMask missed = without(missing, a.pending);
    ++stat.accesses;
    stat.bytes += a.request.payload();
    stat.sectors += bits_set(a.touched);
    if (is_read) {
        ++stat.reads;
        stat.read_sectors += bits_set(a.touched);
    } else
        ++(a.is_write() ? stat.writes : stat.atomics);
    if (missing) {
        ++stat.misses;
        if (a.found()) ++stat.sector_misses;
        stat.missed_sectors += bits_set(missed);
        if (is_read) stat.missed_read_sectors += bits_set(missed);
        if (a.pending) {
            stat.pending_sectors += bits_set(missing & a.pending);
            if (is_read) stat.pending_read_sectors += bits_set(missing & a.pending);
        }
    } else {
        ++stat.hits;
        if (is_read) ++stat.read_hits;
        if (a.is_write()) ++stat.write_hits;
    }
    if (config.observed && is_read) {
        const MemRequest& r = a.request;
        tell({r.address, r.pc, r.source, r.warp, r.application,
              missing ? CacheEventKind::read_miss : CacheEventKind::read_hit, false});
    }
    if (a.found() && lines.tags.prefetched(a.line)) {
        ++stat.prefetches_used;
        lines.tags.set_prefetched(a.line, false);
    }
}

void Core::count_eviction(std::uint32_t line) {
    ++stat.evictions;
    const bool unused = lines.tags.prefetched(line);
    if (unused) ++stat.prefetches_unused;
    if (config.observed)
        tell({map.address_of(lines.tags.tag(line)), 0, 0, 0,
              static_cast<std::uint16_t>(lines.tags.application(line)), CacheEventKind::eviction,
              unused});
}

void Core::claim(const Access& a) {
    if (claims(a) == 0) return;
    MemRequest r;
    r.command = protocol::Command::claim;
    r.posted = true;
    r.application = a.request.application;
    map.name(r, a.place.line, without(a.touched, a.written), 0);
    ++stat.claims;
    outlet.send(r);
}

} // namespace memsim::mem::cache
