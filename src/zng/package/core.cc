#include "zng/package/core.hh"

namespace memsim::zng::package {

Core::Core(const Params& p, const flash::NandTiming& timing_, const Start& start, Simulation& sim_,
           State& state_, Stats& stat_, Alarm& alarm_)
    : params(p), timing(timing_), sim(sim_), state(state_), stat(stat_),
      alarm(alarm_), n {p.geometry.dies(), p.geometry.planes(), p.geometry.blocks(),
                        p.geometry.pages()},
      array({n.planes(), n.blocks, n.pages, sim.contents().enabled()}, state.array),
      registers(
          {n.planes(), p.registers() - p.data_registers(), p.network() != RegisterNetwork::none},
          state.registers),
      versions(sim.contents(), array.contents(), state.held,
               n.planes() * (p.registers() - p.data_registers())),
      decoders({n, start.first_log, start.last_log, start.filled, sim.seed() ^ p.endpoint(),
                p.log_reserve()},
               array, state.decoders),
      reads(p.reuse() == PageReuse::waiting, state.reads), stalled(n, state.stalled),
      wires(Rate {p.net_width->raw * p.net_clock->raw}, state.wires),
      io(Rate {p.net_width->raw * p.net_clock->raw}, state.io),
      answers({p.ports(), static_cast<std::uint16_t>(p.endpoint()),
               static_cast<std::uint16_t>(p.controller())},
              state.answers),
      workers(p.independent_planes() ? 1 : n.die_planes, state.workers),
      has_io_path(p.io_path() && p.network() == RegisterNetwork::nif) {
    registers.reset();
    stalled.reset(registers.pools());
    wires.reset(n.planes());
    io.reset(n.planes());
    answers.reset();
    workers.reset(p.independent_planes() ? n.planes() : n.dies);
}

unsigned Core::missing(std::uint64_t page, unsigned line, unsigned sectors) const {
    const std::uint32_t r = registers.find(page);
    if (r != RegisterFile::none && registers[r].mask.touches(line))
        sectors = registers[r].mask.missing(line, sectors);
    const Worker* const w = sectors ? workers.programs(page) : nullptr;
    if (w && w->mask.touches(line)) sectors = w->mask.missing(line, sectors);
    return sectors;
}

PagePlaces Core::places_of(const PageAddress& a) const {
    const std::uint64_t page = n.page(a);
    PagePlaces p {registers.find(page)};
    const Worker* const w = workers.programs(page);
    if (w) p.worker = workers.number(*w);
    p.array = array_page(!w || w->stage == Stage::programming ? a : w->address);
    return p;
}

} // namespace memsim::zng::package
