#include "mem/cache/stages.hh"

#include "protocol/traffic.hh"

namespace memsim::mem::cache {

Stages::Stages(const Params& p, const device_parts::HashedInterleave& interleave,
               Responder<protocol::Mem>& above, const NextLevel& below, Observers& observers,
               SimulationRef sim, Stats& stat, State& state)
    : config(p, below.victims),
      map(p.line_bytes(), static_cast<std::uint64_t>(p.geometry.sector->raw),
          SetIndex(state.set_hash), p.timing.banks(), interleave),
      lines(config, map, state.tags, state.mshrs, below.port),
      mshr_use(p.queues.mshrs(), p.queues.mshr_lines(), state.mshrs, state.mshr_use),
      slots(p.timing.clock(), p.timing.accesses_per_cycle(), p.timing.banks(),
            p.timing.bank_ports(), state.slots),
      banks(slots, stat.bank_busy), changing(p.timing.atomic_interval(), slots, state.changing),
      outlet({p.queues.mem_queue(), config.mshrs, p.queues.outstanding(), p.stage(),
              p.timing.miss_latency()},
             below.port, sim, state.outlet),
      accounting(config, map, lines, observers, stat), claims(config, map, outlet, stat),
      partitions(p.partition,
                 p.partition.partitions() == 2 ? protocol::traffic_to(above).sources : 0,
                 {map, slots, lines, accounting, stat, state.partitions, state.reserved}),
      answers({above, lines, partitions, sim, state, p.stage(), p.timing.latency->raw}),
      evictions({config, map, lines, outlet, banks, accounting, partitions, stat, state.reserved}),
      misses({config, map, lines, mshr_use, outlet, banks, accounting, claims, evictions, sim, stat,
              state.owed, state.fetching}),
      writes({config, lines, mshr_use, outlet, banks, accounting, claims, evictions, misses, stat,
              state.owed, state.reserved}),
      fills({config, map, lines, mshr_use, slots, banks, partitions, sim, stat, state.owed,
             state.fetching}),
      commands({config, lines, outlet, evictions, stat, state.owed, state.flush}),
      prefetching({config, map, lines, mshr_use, outlet, banks, evictions, misses, stat}) {
    stat.bank_busy.count_ahead([this](Tick now) { return slots.occupied_after(now); });
}

} // namespace memsim::mem::cache
