#include "zng/package/core.hh"

namespace memsim::zng::package {

Core::Core(const Params& p, const flash::NandTiming& timing_, const Start& start,
           SimulationRef sim_, State& state_, Stats& stat_, Alarm& alarm_)
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
                p.log_reserve(), start.least_filled},
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

/// A rewritten page moves from its data block to a log block and remains one valid page. Valid
/// pages are therefore the programmed pages of data blocks, minus those that have moved.
FlashUsage Core::usage() const {
    const std::uint64_t blocks = std::uint64_t {n.planes()} * n.blocks;
    FlashUsage u;
    // Counts before the run.
    std::uint64_t written = std::uint64_t {n.planes()} * params.geometry.data_blocks(); // blocks
    u.valid_pages = written * n.pages;
    std::uint64_t programmed = u.valid_pages;
    decoders.each_filled_before([&](std::uint32_t pages) {
        ++written;
        programmed += pages;
    });
    // The array records only blocks that were touched.
    array.each_touched([&](std::uint64_t number, const flash::NandBlock& b) {
        const std::uint32_t before = decoders.written_before(number);
        written -= before > 0, written += b.written > 0;
        programmed -= before, programmed += b.written;
        if (decoders.holds_data_before(number)) u.valid_pages -= before;
        if (!decoders.is_log(number)) u.valid_pages += b.written;
        return true;
    });
    u.free_blocks = blocks - written;
    u.valid_pages -= decoders.moved_pages();
    u.invalid_pages = programmed - u.valid_pages;
    u.erased_pages = blocks * n.pages - programmed;
    return u;
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
